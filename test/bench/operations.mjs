// Ten reference operations, from nothing at all to a few microseconds. Every export is one, as in any benchmark file.
import { createHash } from 'node:crypto';

const resolved = Promise.resolve(1);
const text = JSON.stringify(
  Array.from({ length: 18 }, (_, index) => ({
    id: index,
    name: `item ${index}`,
    tags: ['a', 'b'],
    price: index * 1.5,
  })),
).padEnd(1024);
const kilobyte = Buffer.alloc(1024, 'x');
const line = 'GET /items/4711?sort=price HTTP/1.1';
const pattern = /^(GET|POST) (\/[a-z]+)\/(\d+)\?sort=(\w+) HTTP/;
const numbers = Array.from({ length: 1000 }, (_, index) => (index * 7919) % 1009);
const map = new Map(Array.from({ length: 1000 }, (_, index) => [`key ${index}`, index]));
let left = 1;
let key = 0;

export function empty() {}

export function integerAdd() {
  left = (left + 3) | 0;
  return left;
}

export const jsonParse1K = () => JSON.parse(text);

export const awaitResolved = () => resolved;

export const setImmediateTurn = () => new Promise((resolve) => setImmediate(resolve));

export async function tenTasks() {
  const task = async (value) => value;
  let sum = 0;
  for (const value of await Promise.all(Array.from({ length: 10 }, (_, index) => task(index)))) sum += value;
  return sum;
}

export const regex = () => pattern.exec(line);

export const sort1000 = () => numbers.slice().sort((one, other) => one - other);

export const sha256Of1K = () => createHash('sha256').update(kilobyte).digest();

export function mapLookUp() {
  key = (key + 7) % 1000;
  return map.get(keys[key]);
}
const keys = [...map.keys()];
