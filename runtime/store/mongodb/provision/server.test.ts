import { expect, test } from "vitest";
import { refuseServer } from "./server.ts";

test("a replica set and a sharded cluster will do, from MongoDB 6.0 on", () => {
  refuseServer({ maxWireVersion: 17, setName: "rs0" });
  refuseServer({ maxWireVersion: 25, msg: "isdbgrid" });
});

test("older servers and standalone ones are refused with the reason", () => {
  expect(() => refuseServer({ maxWireVersion: 13, setName: "rs0" })).toThrow("older than 6.0");
  expect(() => refuseServer({ maxWireVersion: 21 })).toThrow("neither a member of a replica set");
});
