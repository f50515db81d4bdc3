import { describe, expect, it } from "vitest";
import type { Collection } from "../model/model.ts";
import type { CompiledRule } from "./compiled.ts";
import { implies } from "./form/implication.ts";
import { compileRules } from "./rules.ts";
import { noteCollection, noteRealm, ofOrganizations, organizations } from "./testing/realms.ts";

function compiled(
  name: "create" | "read" | "update" | "delete",
  text: string,
  further: Partial<Collection> = {},
): CompiledRule {
  const collection = noteCollection({ [name]: text }, { ...ofOrganizations, ...further });
  const stage = compileRules(noteRealm(collection, { organizations }));
  const rule = stage.collections.get("db/notes")?.rules[name];
  if (rule === undefined) throw new Error(JSON.stringify(stage.diagnostics));
  return rule;
}

const constant = (text: string): boolean | undefined => compiled("delete", text).facts.constant;
const anonymous = (text: string): boolean => compiled("delete", text).facts.anonymous;

describe("facts", () => {
  it("constant: what folds to one outcome for every caller and document", () => {
    expect(constant("true")).toBe(true);
    expect(constant("false")).toBe(false);
    expect(constant("document.public || true")).toBe(true);
    expect(constant("document.public && 1 > 2")).toBe(false);
    expect(constant("'a'.startsWith('a') && ['a'].includes('a') && [1, 2].length == 2")).toBe(true);
    expect(constant("[].includes(document.title)")).toBe(false);
    expect(constant("now == null")).toBe(false);
    expect(constant("document.title == (true ? null : 'a')")).toBe(false);
    expect(constant("document.title != (true ? null : 'a')")).toBe(true);
    expect(constant("document.public")).toBeUndefined();
    expect(constant("user.mfa")).toBeUndefined();
  });

  it("anonymous: whether a caller without credentials may satisfy it for some document", () => {
    expect(anonymous("document.public")).toBe(true);
    expect(anonymous("user != null && document.public")).toBe(false);
    expect(anonymous("document._meta.owner == user.id")).toBe(false);
    expect(anonymous("document._meta.owner == user.id || document.public")).toBe(true);
    expect(anonymous("hasRole('editor')")).toBe(false);
    expect(anonymous("user == null")).toBe(true);
    expect(anonymous("user.mfa ? document.public : document.title == user.id")).toBe(false);
    expect(anonymous("user.roles.length == 0")).toBe(false);
    expect(anonymous("user.profile.skills.includes(document.title)")).toBe(false);
    expect(anonymous("appConfig.frozen")).toBe(true);
    expect(anonymous("inOrg(document._meta.org)")).toBe(false);
    expect(anonymous("hasTeamRole('t1', document.needed_role)")).toBe(false);
    expect(anonymous("orgClaims(document._meta.org).seats > 3")).toBe(false);
    expect(anonymous("orgClaims(document._meta.org) == null")).toBe(true);
    expect(anonymous("!inTeam(document._meta.team)")).toBe(true);
  });

  it("readsClock, readsAppConfig: only what is left after folding", () => {
    expect(compiled("read", "document.due_at < now").facts).toMatchObject({
      readsClock: true,
      readsAppConfig: false,
    });
    expect(compiled("read", "document.due_at < ago('1d')").facts.readsClock).toBe(true);
    expect(compiled("read", "true || document.due_at < now").facts.readsClock).toBe(false);
    expect(compiled("read", "document.count < appConfig.trial_days").facts).toMatchObject({
      readsClock: false,
      readsAppConfig: true,
    });
  });

  it("memberships: what asks for organizations or teams, after folding", () => {
    const memberships = (text: string): boolean => compiled("delete", text).facts.memberships;
    expect(memberships("hasRole('editor') && document._meta.org == 'o1'")).toBe(false);
    expect(memberships("inOrg('o1')")).toBe(true);
    expect(memberships("document.title == (hasOrgRole(document._meta.org, 'owner') ? 'a' : 'b')")).toBe(true);
    expect(memberships("orgClaims(document._meta.org).plan == null")).toBe(true);
    expect(memberships("true || inTeam(document._meta.team)")).toBe(false);
    expect(memberships("inOrg(true ? null : document.title)")).toBe(false);
  });

  it("implied: whoever holds a role in an organization is in it", () => {
    const implied = (given: string, wanted: string): boolean =>
      implies(compiled("delete", given).form.condition, compiled("delete", wanted).form.condition);
    const owner = "hasOrgRole(document._meta.org, 'owner')";
    expect(implied(owner, "inOrg(document._meta.org)")).toBe(true);
    expect(implied(owner, "hasOrgRole(document._meta.org, 'clerk', 'owner')")).toBe(true);
    expect(implied(`${owner} && document.public`, "inOrg(document._meta.org) || document.shared")).toBe(true);
    expect(implied("inOrg(document._meta.org)", owner)).toBe(false);
    expect(implied(owner, "inOrg(document.org_id)")).toBe(false);
    expect(implied(owner, "hasOrgRole(document._meta.org, 'clerk')")).toBe(false);
    expect(implied("hasTeamRole(document._meta.team, 'lead')", "inTeam(document._meta.team)")).toBe(false);
  });

  it("documentFields: the paths read of the document, sorted, each once", () => {
    expect(
      compiled(
        "update",
        "document.title == data.title || document.address.city == 'a' || document.title == 'b'",
      ).facts.documentFields,
    ).toEqual(["address.city", "title"]);
  });

  it("origin: file, line and key", () => {
    expect(compiled("read", "true").origin).toBe("desk/db/notes/collection.yaml rules.read");
  });
});
