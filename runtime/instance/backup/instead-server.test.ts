import { expect, it } from "vitest";
import { describeMongo, mongoUri } from "../../store/mongodb/testing/server.ts";
import { commandOf, dataModule } from "../transfer/testing/shop.ts";

describeMongo("what a server has of what point-in-time recovery needs", () => {
  it("is told as far as it answers", async () => {
    const words = ["backup", "--store", "env:STORE"];
    const { code, err } = await commandOf([dataModule("shop")], words, { STORE: mongoUri ?? "" });
    expect(code).toBe(2);
    expect(err).toMatch(/^replica set: ok: a member of \w+$/m);
    for (const what of ["version", "oplog", "write concern"])
      expect(err).toMatch(new RegExp(`^${what}: (ok|NOT MET|unknown): `, "m"));
  });
});
