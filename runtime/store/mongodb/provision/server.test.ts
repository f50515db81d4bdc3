import { expect, test } from "vitest";
import { useFaulty } from "../testing/faulty.ts";
import { describeMongo } from "../testing/server.ts";
import { refuseCompatibility, refuseServer } from "./server.ts";

test("a replica set and a sharded cluster will do, from MongoDB 6.0 on", () => {
  refuseServer({ maxWireVersion: 17, setName: "rs0" });
  refuseServer({ maxWireVersion: 25, msg: "isdbgrid" });
});

test("older servers and standalone ones are refused with the reason", () => {
  expect(() => refuseServer({ maxWireVersion: 13, setName: "rs0" })).toThrow("older than 6.0");
  expect(() => refuseServer({ maxWireVersion: 21 })).toThrow("neither a member of a replica set");
});

test("a newer server that behaves as one before 6.0 is refused with what to do; where nobody tells, it will do", () => {
  const answer = (version: string) => ({ featureCompatibilityVersion: { version }, ok: 1 });
  expect(() => refuseCompatibility(answer("5.0"))).toThrow(
    "featureCompatibilityVersion is 5.0; 6.0 is the oldest that can be used (setFeatureCompatibilityVersion)",
  );
  for (const version of ["6.0", "7.0", "8.0", "10.1"]) refuseCompatibility(answer(version));
  refuseCompatibility({ ok: 1 });
});

describeMongo("At the start", () => {
  const faulty = useFaulty();

  test("the server is asked for its featureCompatibilityVersion; who may not ask may start", async () => {
    await faulty.store.provision([]);
    expect(faulty.proxy.sent("getParameter")[0]?.body).toMatchObject({
      featureCompatibilityVersion: 1,
      $db: "admin",
    });
    const refused = faulty.proxy.inject("getParameter", { error: "Unauthorized" });
    await faulty.store.provision([]);
    expect(refused.struck).toBe(1);
  });
});
