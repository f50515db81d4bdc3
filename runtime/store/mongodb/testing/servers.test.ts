import { expect, it } from "vitest";
import { serverUris, workerUri } from "./servers.ts";

const two = "mongodb://127.0.0.1:1/?replicaSet=rs0 mongodb://127.0.0.1:3,127.0.0.1:4/?replicaSet=rs0";
const [first, second] = two.split(" ");

it.each([
  [undefined, []],
  ["", []],
  [first, [first]],
  [`${two}\n`, [first, second]],
])("MONGODB_URI %j names the servers %j", (uri, expected) => {
  expect(serverUris(uri === undefined ? {} : { MONGODB_URI: uri })).toEqual(expected);
});

it("each worker has a server of its own", () => {
  const uris = ["1", "2"].map((id) => workerUri({ MONGODB_URI: two, VITEST_POOL_ID: id }));
  expect(uris).toEqual([first, second]);
});

it("refuses a worker that would share a server with another", () => {
  expect(() => workerUri({ MONGODB_URI: two, VITEST_POOL_ID: "3" })).toThrow("none for worker 3");
  expect(() => workerUri({ MONGODB_URI: two })).toThrow("none for worker");
});

it("a single server serves whoever asks, also outside of workers", () => {
  expect(workerUri({ MONGODB_URI: first })).toBe(first);
  expect(workerUri({})).toBeUndefined();
});
