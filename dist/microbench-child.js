import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);

// src/kernel/errors.ts
function assertNever(value) {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
function messageOf(thrown) {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

// src/kernel/units.ts
var ns = (value) => value;

// src/kernel/world.ts
import { setTimeout as delay } from "node:timers/promises";
var realClock = {
  now: () => ns(Number(process.hrtime.bigint())),
  today: () => /* @__PURE__ */ new Date(),
  sleep: async (duration, signal) => {
    await delay(duration / 1e6, void 0, signal === void 0 ? {} : { signal });
  }
};

// src/microbench/digest.ts
import { createHash } from "node:crypto";
var mostValues = 2e4;
var mostContent = 1 << 20;
function digestOf(value) {
  const digest = new Digest();
  try {
    digest.add(value);
  } catch {
    return null;
  }
  return digest.end();
}
var Digest = class {
  #hash = createHash("sha256");
  #met = /* @__PURE__ */ new Map();
  #left = mostValues;
  add(value) {
    if (this.#left-- <= 0) return;
    switch (typeof value) {
      case "string":
        this.#text("string", value);
        return;
      case "number":
        this.#text("number", Object.is(value, -0) ? "-0" : String(value));
        return;
      case "object":
        if (value === null) this.#text("null", "");
        else this.#object(value);
        return;
      case "function":
        this.#text("function", "");
        return;
      case "symbol":
        this.#text("symbol", value.description ?? "");
        return;
      default:
        this.#text(typeof value, String(value));
    }
  }
  end() {
    return this.#hash.digest("hex").slice(0, 16);
  }
  #object(value) {
    const met = this.#met.get(value);
    if (met !== void 0) {
      this.#text("again", String(met));
      return;
    }
    this.#met.set(value, this.#met.size);
    if (ArrayBuffer.isView(value)) {
      this.#bytes(value.constructor.name, new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    } else if (value instanceof ArrayBuffer) {
      this.#bytes("ArrayBuffer", new Uint8Array(value));
    } else if (Array.isArray(value)) {
      this.#text("array", String(value.length));
      for (const item of value.slice(0, mostValues)) this.add(item);
    } else if (value instanceof Map) {
      this.#text("map", String(value.size));
      this.#all([...value].flat());
    } else if (value instanceof Set) {
      this.#text("set", String(value.size));
      this.#all([...value]);
    } else if (value instanceof Date) {
      this.#text("date", String(value.getTime()));
    } else if (value instanceof RegExp) {
      this.#text("regexp", String(value));
    } else if (value instanceof Error) {
      this.#text("error", `${value.name}: ${value.message}`);
    } else {
      const keys = Object.keys(value).sort();
      this.#text("object", `${value.constructor?.name ?? ""} ${keys.length}`);
      for (const key of keys) {
        this.#text("key", key);
        this.add(value[key]);
      }
    }
  }
  #all(values) {
    for (const value of values) this.add(value);
  }
  /** The length stands before the content, so that no two lists of values run into the same text. */
  #text(kind, content) {
    this.#hash.update(`${kind} ${content.length} ${content.slice(0, mostContent)}
`);
  }
  #bytes(kind, content) {
    this.#hash.update(`${kind} ${content.length}
`).update(content.subarray(0, mostContent));
  }
};

// src/microbench/loop.ts
var kept = { value: void 0 };
function loopOf(benchmark, isAsync) {
  const call = isAsync ? "await benchmark()" : "benchmark()";
  const text = `return ${isAsync ? "async " : ""}function loop(iterations) {
    for (let index = 0; index < iterations; index++) kept.value = ${call};
  };`;
  const run = new Function("benchmark", "kept", text)(benchmark, kept);
  return { isAsync, run };
}
async function time(loop, iterations, clock) {
  const cpuBefore = process.cpuUsage();
  const begun = clock.now();
  const done = loop.run(iterations);
  if (loop.isAsync) await done;
  const ended = clock.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall: ns(ended - begun), cpu: ns((user + system) * 1e3) };
}
var mostIterations = 1e9;
var mostAttempts = 40;
var settled = 0.1;
async function calibrate(loop, target, clock) {
  let iterations = 1;
  let previous = Number.NaN;
  let elapsed = ns(0);
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    elapsed = (await time(loop, iterations, clock)).wall;
    const each = elapsed / iterations;
    const filled = elapsed >= target;
    if (filled && (iterations === 1 || Math.abs(each / previous - 1) <= settled)) break;
    previous = filled ? each : Number.NaN;
    const wanted = each > 0 ? Math.ceil(target / each * 1.05) : iterations * 10;
    iterations = Math.min(mostIterations, Math.max(1, Math.min(wanted, iterations * 10)));
    if (iterations === mostIterations) break;
  }
  return { iterations, elapsed };
}

// src/microbench/modules.ts
import { readFile } from "node:fs/promises";
import { pathToFileURL as pathToFileURL2 } from "node:url";

// src/microbench/other-tools.ts
var tools = {
  vitest: {
    name: "vitest",
    print: null,
    command: "npx vitest bench --run --outputJson out.json >/dev/null; cat out.json",
    format: "vitest"
  },
  tinybench: {
    name: "tinybench",
    print: "let the file print nothing but JSON, with `console.log(JSON.stringify(bench.table()))` after `bench.run()`",
    command: "node FILE",
    format: "tinybench"
  },
  mitata: {
    name: "mitata",
    // All samples of a quick function are megabytes a benchmark.
    print: "let the file print JSON, with `await run({ format: { json: { samples: false } } })`",
    command: "node FILE",
    format: "mitata"
  },
  benchmark: {
    name: "benchmark.js",
    print: 'let the file print each result, with `.on("cycle", (event) => console.log(String(event.target)))`',
    command: "node FILE",
    format: "benchmark-js"
  }
};
var imported = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"]([^'"]+)['"]/g;
function toolOf(text) {
  for (const [, from] of text.matchAll(imported)) {
    if (Object.hasOwn(tools, from)) return tools[from];
  }
  return /(?:^|[^.\w])(?:bench|benchmark)(?:\.\w+)*\s*\(\s*['"`]/.test(text) ? "unknown" : null;
}
var exportsNothing = (text) => !/\bexports?\b/.test(text);
function wayOut(text) {
  const tool = toolOf(text);
  const own = "every exported function is a benchmark, such as: export const parse = () => parseIt(text)";
  if (tool === null) return own;
  const [name, run] = tool === "unknown" ? ["another tool", "--command with a command that prints its result file"] : [
    tool.name,
    `--command "${tool.command}" --format ${tool.format}${tool.print === null ? "" : `; ${tool.print}`}`
  ];
  return `files that call bench() of ${name} are not supported as they are, because it measures by itself. Export what bench() is given (${own}), run the tool (${run}), or leave the file out (--files)`;
}
var isForeign = (text) => toolOf(text) !== null;

// src/microbench/places.ts
import { spawnSync } from "node:child_process";
import { relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
var patience = 5e3;
function placeOf(error, path) {
  if (!(error instanceof Error)) return null;
  const stack = error.stack ?? "";
  return headOf(stack) ?? frameOf(stack) ?? (error instanceof SyntaxError ? askedAgain(path) : null);
}
function headOf(text) {
  const found = /^(file:\/\/\S+|\/.+|[A-Za-z]:\\.+):(\d+)$/m.exec(text);
  return found === null ? null : shown(found[1], found[2]);
}
function frameOf(stack) {
  for (const line of stack.split("\n")) {
    const found = /^\s+at (?:.*\()?(file:\/\/[^)]+?|\/[^)]+?|[A-Za-z]:\\[^)]+?):(\d+):\d+\)?$/.exec(line);
    if (found === null) continue;
    return found[1].includes("microbench-child") ? null : shown(found[1], found[2]);
  }
  return null;
}
function askedAgain(path) {
  const { stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, "--input-type=module", "-e", `import ${JSON.stringify(pathToFileURL(path).href)};`],
    { encoding: "utf8", timeout: patience, killSignal: "SIGKILL", stdio: ["ignore", "ignore", "pipe"] }
  );
  return typeof stderr === "string" && /^SyntaxError/m.test(stderr) ? headOf(stderr) : null;
}
function shown(file, line) {
  const path = file.startsWith("file:") ? fileURLToPath(file) : file;
  return `${relative(process.cwd(), path).replaceAll("\\", "/")}:${line}`;
}

// src/microbench/typescript.ts
import * as nodeModule from "node:module";
var registered = false;
function resolveTypeScript() {
  const { registerHooks } = nodeModule;
  if (registered || registerHooks === void 0) return;
  registered = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (error) {
        for (const other of isOurs(specifier, context) ? spellings(specifier) : []) {
          try {
            return next(other, context);
          } catch {
          }
        }
        throw error;
      }
    }
  });
}
function isOurs(specifier, context) {
  return /^\.{1,2}(\/|$)/.test(specifier) && /\.[cm]?tsx?$/.test(context.parentURL ?? "");
}
function spellings(specifier) {
  const script = /^(.*)\.([cm]?)jsx?$/.exec(specifier);
  if (script !== null) return [`${script[1]}.${script[2]}ts`];
  const folder = specifier.replace(/\/$/, "");
  return [`${folder}.ts`, `${folder}.mts`, `${folder}/index.ts`];
}

// src/microbench/modules.ts
async function importBenchmarks(path) {
  const text = await readFile(path, "utf8");
  if (isForeign(text) && exportsNothing(text)) throw new Error(`it exports no function; ${wayOut(text)}`);
  let exported;
  if (/\.[cm]?ts$/.test(path)) resolveTypeScript();
  try {
    exported = await import(pathToFileURL2(path).href);
  } catch (error) {
    const hint = isForeign(text) ? `; ${wayOut(text)}` : "";
    throw new Error(`${whyNotLoaded(error, path)}${hint}`, { cause: error });
  }
  const functions = new Map(Object.entries(flattened(exported)).filter(isBenchmark));
  const take = (name) => {
    const found = functions.get(name) ?? null;
    functions.delete(name);
    return found;
  };
  const module = { setup: take("setup"), teardown: take("teardown"), benchmarks: functions };
  if (functions.size === 0) throw new Error(`it exports no function; ${wayOut(text)}`);
  return module;
}
function flattened(exported) {
  const { default: main, "module.exports": _same, ...named } = exported;
  if (typeof main === "function") return { ...named, default: main };
  if (typeof main !== "object" || main === null) return named;
  return { ...main, ...named };
}
function isBenchmark(entry) {
  const [, value] = entry;
  return typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value));
}
function whyNotLoaded(error, path) {
  const code = error?.code;
  const message = messageOf(error);
  if (code === "ERR_UNKNOWN_FILE_EXTENSION" && /\.[cm]?ts\b/.test(`${path} ${message}`)) {
    return `Node ${process.versions.node} does not run TypeScript; it wants Node 22.18 or later (22.6 with --experimental-strip-types), or a loader such as NODE_OPTIONS="--import tsx" in env`;
  }
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
    return `${message}; Node only removes types: enums, namespaces and parameter properties want a build step in setup`;
  }
  const place = placeOf(error, path);
  return place === null ? message : `${message} (${place})`;
}

// src/microbench/child.ts
var modules = /* @__PURE__ */ new Map();
var loops = /* @__PURE__ */ new Map();
var collectGarbage = globalThis.gc;
var queue = Promise.resolve();
function functionOf({ file, name }) {
  const found = modules.get(file)?.benchmarks.get(name);
  if (found === void 0) throw new Error(`${file} has no benchmark ${name}`);
  return found;
}
function readyLoop(benchmark) {
  const loop = loops.get(functionOf(benchmark));
  if (loop === void 0) throw new Error(`${benchmark.name} was not begun`);
  return loop;
}
var isThenable = (value) => (typeof value === "object" || typeof value === "function") && value !== null && typeof value.then === "function";
async function begin(benchmark) {
  const call = functionOf(benchmark);
  const first = call();
  const isAsync = isThenable(first);
  const digest = digestOf(await first);
  const again = digestOf(await call());
  loops.set(call, loopOf(call, isAsync));
  return { isAsync, digest: digest === again ? digest : null };
}
function collect(how) {
  const begun = realClock.now();
  if (how === "full") collectGarbage?.();
  if (how === "minor") collectGarbage?.({ type: "minor" });
  return ns(realClock.now() - begun);
}
async function carryOut(order) {
  const { id } = order;
  switch (order.kind) {
    case "load": {
      const module = await importBenchmarks(order.path);
      await module.setup?.();
      modules.set(order.file, module);
      return { kind: "loaded", id, benchmarks: [...module.benchmarks.keys()] };
    }
    case "begin":
      return { kind: "begun", id, ...await begin(order.benchmark) };
    case "calibrate": {
      const found = await calibrate(readyLoop(order.benchmark), order.target, realClock);
      collect("full");
      return { kind: "calibrated", id, ...found, collection: collect("full") };
    }
    case "sample": {
      const loop = readyLoop(order.benchmark);
      collect(order.collect);
      return { kind: "sampled", id, ...await time(loop, order.iterations, realClock) };
    }
    case "finish":
      await modules.get(order.file)?.teardown?.();
      return { kind: "finished", id };
    default:
      return assertNever(order);
  }
}
function say(reply) {
  process.send?.(reply);
}
process.on("message", (order) => {
  queue = queue.then(async () => {
    try {
      say(await carryOut(order));
    } catch (thrown) {
      say({ kind: "failed", id: order.id, message: messageOf(thrown) });
    }
  });
});
process.on("uncaughtException", (thrown, origin) => {
  if (process.listenerCount("uncaughtException") > 1) return;
  const what = origin === "unhandledRejection" ? "unhandled rejection" : "uncaught exception";
  const message = messageOf(thrown);
  const reason = /rejected with the reason "([\s\S]*)"\.$/.exec(message)?.[1] ?? message;
  const [first] = reason.trim().split("\n");
  process.stderr.write(`${thrown instanceof Error ? thrown.stack : ""}
${what}: ${first}
`);
  process.exit(1);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGINT", () => {
});
say({ kind: "ready" });
