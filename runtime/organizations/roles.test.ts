import { expect, test } from "vitest";
import type { OrganizationSettings } from "../realm/organizations.ts";
import { effectiveRoles, isOrganizationRole, manages, managesAs } from "./roles.ts";
import { organizationSettings as settings } from "./testing/realm.ts";

const org = {
  teams: [
    { id: "t1", name: "Desk", roles: ["clerk", "owner"] },
    { id: "t2", name: "Archive", roles: ["clerk", "gone"] },
    { id: "t3", name: "Door", roles: ["keeper"] },
  ],
};

test("Organization endpoints 7: effective roles are direct ones, default ones and those of the member's teams", () => {
  const member = { roles: ["keeper", "clerk"], teams: ["t2", "t1"] };
  expect(effectiveRoles(settings, org, member)).toEqual([
    { role: "clerk", origin: ["direct", "Desk", "Archive"] },
    { role: "keeper", origin: ["direct"] },
    { role: "member", origin: ["default"] },
    { role: "owner", origin: ["Desk"] },
  ]);
  expect(effectiveRoles(settings, org, { roles: ["member"], teams: [] })).toEqual([
    { role: "member", origin: ["direct", "default"] },
  ]);
});

test("Organization endpoints 7: what the configuration or the organization no longer has counts for nothing", () => {
  const member = { roles: ["gone", "__proto__", "constructor"], teams: ["t9", "t2"] };
  expect(effectiveRoles({ ...settings, defaultRoles: ["gone"] }, org, member)).toEqual([
    { role: "clerk", origin: ["Archive"] },
  ]);
  expect(effectiveRoles(settings, { teams: [] }, { roles: [], teams: ["t1"] })).toEqual([
    { role: "member", origin: ["default"] },
  ]);
});

test("a role that is given twice has one origin of each kind", () => {
  const member = { roles: ["clerk", "clerk"], teams: ["t3", "t3"] };
  expect(effectiveRoles(settings, org, member)).toEqual([
    { role: "clerk", origin: ["direct"] },
    { role: "keeper", origin: ["Door"] },
    { role: "member", origin: ["default"] },
  ]);
});

test("what roles let manage is everything that any of them does, through teams too", () => {
  expect([...manages(settings, ["clerk", "keeper"])]).toEqual(["members", "teams"]);
  expect([...manages(settings, ["owner", "clerk"])]).toEqual(["org", "members", "roles", "teams"]);
  expect([...manages(settings, ["member", "gone", "constructor"])]).toEqual([]);
  expect([...managesAs(settings, org, { roles: [], teams: ["t3", "t2"] })]).toEqual(["members", "teams"]);
});

test("the roles there are, are those of the settings", () => {
  expect(["owner", "member", "lead", "toString"].map((name) => isOrganizationRole(settings, name))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const others: OrganizationSettings = { ...settings, roles: [{ name: "toString", manage: [] }] };
  expect(["owner", "toString"].map((name) => isOrganizationRole(others, name))).toEqual([false, true]);
});
