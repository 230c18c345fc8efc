/** What must be ended, gathered as it is started: the last one started is ended first, and each of them whatever the others do. */

export class Endings {
  readonly #ends: (() => Promise<unknown>)[] = [];

  /** @returns what was given, so that it can be added where it is started. */
  add<Kept extends AsyncDisposable>(kept: Kept): Kept {
    this.defer(() => Promise.resolve(kept[Symbol.asyncDispose]()));
    return kept;
  }

  defer(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }

  /** Ends everything once; may be called again. Rejects with the first failure after all were tried. */
  async endAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const end of this.#ends.splice(0).reverse()) {
      await end().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
