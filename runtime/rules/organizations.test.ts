import { describe, expect, it } from "vitest";
import { always, and, compare, eq, FALSE, isIn, not, or, TRUE } from "../filter/algebra.ts";
import { field } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import { type Membership, type Memberships, noMemberships } from "../realm/memberships.ts";
import {
  byClaims,
  hasOrgRole,
  hasTeamRole,
  inOrg,
  inTeam,
  orgClaims,
  orgRoleNamed,
  ownOrgs,
  ownOrgsAs,
  ownTeams,
  ownTeamsAs,
} from "./organizations.ts";

const org = field("_meta.org", "string");
const role = field("needed_role", "string");
const count = field("count", "number");

function memberOf(id: string, claims: JsonObject, further: Partial<Membership> = {}): [string, Membership] {
  return [id, { org: id, roles: new Set(), teams: new Set(), teamRoles: new Map(), claims, ...further }];
}

const memberships: Memberships = new Map([
  memberOf("o1", { plan: "pro", size: 10 }, { roles: new Set(["owner", "clerk"]), teams: new Set(["t1"]) }),
  memberOf("o2", { plan: "free", size: 5 }, { teamRoles: new Map([["t2", new Set(["lead"])]]) }),
  memberOf("o3", { plan: "pro" }, { roles: new Set(["clerk"]), teams: new Set(["t3"]) }),
]);

describe("checks", () => {
  it("hold for ids of the caller's organizations and teams, and for nothing else whatever stands there", () => {
    for (const id of [
      undefined,
      null,
      5,
      true,
      "",
      "o9",
      ["o1"],
      { org: "o1" },
      "constructor",
      "__proto__",
    ]) {
      expect(inOrg(memberships, id)).toBe(false);
      expect(hasOrgRole(memberships, id, "owner", id)).toBe(false);
      expect(inTeam(memberships, id)).toBe(false);
      expect(hasTeamRole(memberships, id, "lead", id)).toBe(false);
      expect(orgClaims(memberships, id)).toBeUndefined();
    }
    expect(inOrg(memberships, "o2")).toBe(true);
    expect(hasOrgRole(memberships, "o1", undefined, "clerk")).toBe(true);
    expect(hasOrgRole(memberships, "o2", "clerk")).toBe(false);
    expect([inTeam(memberships, "t1"), inTeam(memberships, "t2")]).toEqual([true, false]);
    expect(hasTeamRole(memberships, "t2", "lead")).toBe(true);
    expect(orgClaims(memberships, "o2")).toEqual({ plan: "free", size: 5 });
  });
});

describe("ids for filters", () => {
  it("are those of the caller's organizations and teams, with roles of those where they hold one", () => {
    expect(ownOrgs(memberships)).toEqual(["o1", "o2", "o3"]);
    expect(ownOrgsAs(memberships, "clerk")).toEqual(["o1", "o3"]);
    expect(ownOrgsAs(memberships, "owner", "clerk", undefined)).toEqual(["o1", "o3"]);
    expect(ownTeams(memberships)).toEqual(["t1", "t3"]);
    expect(ownTeamsAs(memberships, "lead")).toEqual(["t2"]);
    expect(ownOrgs(noMemberships)).toEqual([]);
  });

  it("are made once for the same memberships", () => {
    expect(ownOrgs(memberships)).toBe(ownOrgs(memberships));
    expect(ownOrgsAs(memberships, "clerk")).toBe(ownOrgsAs(memberships, "clerk"));
    expect(ownTeams(memberships)).toBe(ownTeams(memberships));
    expect(ownOrgs(new Map(memberships))).not.toBe(ownOrgs(memberships));
  });

  it("a role that the document names: one condition a role, however many organizations there are", () => {
    expect(orgRoleNamed(memberships, org, role)).toEqual(
      or(and(eq(role, "owner"), isIn(org, ["o1"])), and(eq(role, "clerk"), isIn(org, ["o1", "o3"]))),
    );
    expect(orgRoleNamed(noMemberships, org, role)).toEqual(FALSE);
  });
});

describe("conditions with claims", () => {
  it("organizations of whose claims the same becomes stand together; those that never satisfy it are left out", () => {
    expect(byClaims(memberships, org, (claims) => always(claims?.["plan"] === "pro"))).toEqual(
      isIn(org, ["o1", "o3"]),
    );
    const bySize = byClaims(memberships, org, (claims) => {
      const { size } = claims ?? {};
      return compare("lte", count, typeof size === "number" ? size : undefined);
    });
    expect(bySize).toEqual(
      or(and(isIn(org, ["o1"]), compare("lte", count, 10)), and(isIn(org, ["o2"]), compare("lte", count, 5))),
    );
  });

  it("what holds without claims holds of all other organizations, and of documents that belong to none", () => {
    expect(byClaims(memberships, org, (claims) => always(claims === undefined))).toEqual(
      not(isIn(org, ["o1", "o2", "o3"])),
    );
    expect(byClaims(noMemberships, org, (claims) => always(claims === undefined))).toEqual(TRUE);
    expect(byClaims(noMemberships, org, (claims) => always(claims !== undefined))).toEqual(FALSE);
  });
});
