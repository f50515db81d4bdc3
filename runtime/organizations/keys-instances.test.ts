import { expect, it } from "vitest";
import { describeMongo } from "../store/mongodb/testing/server.ts";
import { twoInstances } from "./testing/instances.ts";
import { keyRequests, madeOf } from "./testing/keys.ts";
import { outcome } from "./testing/realm.ts";

describeMongo("Organization keys, at two instances on one database", () => {
  const instances = twoInstances({ keys: true });
  const { make, rotate, revoke, isGood } = keyRequests(() => instances()[0]);

  it("one that is revoked, or whose member or organization goes, is unknown to the next request to the other", async () => {
    const [here, there] = instances();
    const { ada } = await here.people("ada");
    const { token } = ada;
    for (const path of ["keys", "members", ""]) {
      const org = await here.createOrg(ada, { slug: `of-${path}` });
      const { id, key } = await make(org, ada);
      const latest = madeOf(await rotate(org, ada, id)).key;
      expect(await Promise.all([key, latest].map((each) => isGood(each, there)))).toEqual([true, true]);
      const below = path === "" ? "" : `/${path}/${id}`;
      const headers = await here.proof(ada);
      expect((await here.send("DELETE", `/_orgs/${org.id}${below}`, { token, headers })).status).toBe(204);
      expect(await Promise.all([key, latest].map((each) => isGood(each, there)))).toEqual([false, false]);
    }
  });

  it("of two rotations at the same moment both count, and each key but the last is a former one", async () => {
    const [here, there] = instances();
    const { bea } = await here.people("bea");
    const org = await here.createOrg(bea, { slug: "twice" });
    const first = await make(org, bea);
    const rotated = await Promise.all([
      rotate(org, bea, first.id, { overlap: "1h" }),
      rotate(org, bea, first.id, { overlap: "1h" }, there),
    ]);
    expect(rotated.map(({ status }) => status)).toEqual([200, 200]);
    const keys = [first.key, ...rotated.map((answer) => madeOf(answer).key)];
    const good = (on = here) => Promise.all(keys.map((key) => isGood(key, on)));
    expect(await good()).toEqual([true, true, true]);
    here.clock.advance(3_600_000);
    there.clock.advance(3_600_000);
    // The one that was rotated last.
    expect((await good()).filter((is) => is)).toHaveLength(1);
    expect(await good(there)).toEqual(await good());
    expect((await revoke(org, bea, first.id)).status).toBe(204);
    expect(await good(there)).toEqual([false, false, false]);
  });

  it("a key that is rotated while it is revoked, or its organization deleted, is gone with all that came of it", async () => {
    const [here, there] = instances();
    const { cat } = await here.people("cat");
    const { token } = cat;
    for (let round = 0; round < 6; round += 1) {
      const org = await here.createOrg(cat, { slug: `race-${round}` });
      const { id, key } = await make(org, cat);
      const headers = await here.proof(cat);
      const path = `/_orgs/${org.id}${round % 2 === 0 ? "" : `/keys/${id}`}`;
      const [rotated, ended] = await Promise.all([
        rotate(org, cat, id, {}, there),
        here.send("DELETE", path, { token, headers }),
      ]);
      expect(ended.status).toBe(204);
      const refused = round % 2 === 0 ? "403 not_org_member" : "404 not_found";
      expect(["200", refused]).toContain(outcome(rotated).join(" "));
      const all = rotated.status === 200 ? [key, madeOf(rotated).key] : [key];
      for (const each of all) {
        expect([await isGood(each, here), await isGood(each, there)]).toEqual([false, false]);
      }
    }
  });
});
