import { expect, it } from "vitest";
import { describeMongo } from "../store/mongodb/testing/server.ts";
import { twoInstances } from "./testing/instances.ts";
import type { Organizations } from "./testing/realm.ts";

describeMongo("Organization endpoints 2: the last who can manage, at two instances on one database", () => {
  const instances = twoInstances();

  it("of two who leave exactly one does; leaving beside a disabled account orphans it exactly if nobody is left", async () => {
    const [here, there] = instances();
    const { ada, bea } = await here.people("ada", "bea");
    const token = await here.adminKey();
    let beas = bea.token;
    const disable = (server: Organizations, disabled: boolean) =>
      server.send("PATCH", `/_admin/users/${bea.id}`, { token, body: { disabled } });
    for (let round = 0; round < 10; round += 1) {
      const org = await here.createOrg(ada, { slug: `round-${round}` });
      const path = `/_orgs/${org.id}/leave`;
      await here.join(org, bea, { roles: ["owner"] });
      const left = await Promise.all([
        here.send("POST", path, { token: ada.token }),
        there.send("POST", path, { token: beas }),
      ]);
      expect(left.map(({ status }) => status).sort()).toEqual([204, 409]);

      await here.join(org, ada, { roles: ["owner"] });
      await here.join(org, bea, { roles: ["owner"] });
      const [leaves, disabled] = await Promise.all([
        here.send("POST", path, { token: ada.token }),
        disable(there, true),
      ]);
      expect(disabled.status).toBe(200);
      expect([leaves.status, (await there.org(org))?.status]).toEqual(
        leaves.status === 204 ? [204, "orphaned"] : [409, "active"],
      );
      const again = await disable(here, false);
      expect([again.status, (await there.org(org))?.status]).toEqual([200, "active"]);
      // What was begun before has ended.
      beas = (await here.login(bea.email)).token;
    }
  });

  it("what is changed at one instance counts at the next request to the other", async () => {
    const [here, there] = instances();
    const { cat } = await here.people("cat");
    const org = await here.createOrg(cat, { slug: "shared" });
    const { token } = cat;
    const seen = async () => (await there.send("GET", `/_orgs/${org.id}`, { token })).status;
    expect(await seen()).toBe(200);
    await here.changeOrg(org, (before) => ({ ...before, require_mfa: true }));
    expect(await seen()).toBe(403);
    await here.changeOrg(org, (before) => ({ ...before, require_mfa: false }));
    expect(await seen()).toBe(200);
  });
});
