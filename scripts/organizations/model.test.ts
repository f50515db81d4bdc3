/** Organizations under random operations of several people, against a model of them. */
import { describe, expect, it } from "vitest";
import { runs } from "../../runtime/testing/random.ts";
import { report, runRandom, shrink } from "./model/run.ts";
import { compileTenants } from "./model/tenants.ts";

/** The seed of this run; another one by `ORGANIZATIONS_SEED`. */
const seed = Number(process.env["ORGANIZATIONS_SEED"] ?? 100);
const isShared = process.env["REALMC_TEST_STORE"] === "mongodb";
const sequences = Number(process.env["ORGANIZATIONS_RUNS"] ?? runs(isShared ? 3 : 12));
const length = isShared ? 40 : 80;

/** What sequences meet, if not each of them: else they would prove little. */
const everywhere = [
  "accept 200",
  "accept 400 invalid_invitation",
  "accept 403 invitation_not_for_you",
  "admin manager 200",
  "admin reactivate 200",
  "delete 204",
  "delete 401 reauth_required",
  "invite 403 forbidden",
  "leave 204",
  "leave 409 last_org_manager",
  "patch 403 org_requires_mfa",
  "remove 204",
  "remove 409 last_org_manager",
  "role give 201",
  "role give 403 forbidden",
  "roles 200",
  "roles 409 last_org_manager",
  "team 409 team_name_taken",
  "team add 200",
  "update 200",
  "write 403 not_org_member",
];

const tenants = await compileTenants();

describe("Organization endpoints 1, 2, 3, 4, 5, 6 and 7: whatever people do", () => {
  const met = new Set<string>();

  it.each(Array.from({ length: sequences }, (_, at) => seed + at))(
    "organizations are as the rules say (seed %d)",
    async (each) => {
      const failure = await runRandom(tenants, each, length, (step, outcomes) => {
        for (const [at, { kind }] of step.entries()) met.add(`${kind} ${outcomes[at]}`);
      });
      if (failure !== undefined) expect.fail(report(each, await shrink(tenants, failure)));
    },
    300_000,
  );

  it.skipIf(sequences < 12)("they meet what the rules speak of", () => {
    expect(everywhere.filter((outcome) => !met.has(outcome))).toEqual([]);
  });
});
