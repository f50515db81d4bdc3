import { describe, expect, it } from "vitest";
import type { Collection } from "../model/model.ts";
import type { CompiledRule } from "./compiled.ts";
import { compileRules } from "./rules.ts";
import { noteCollection, noteRealm } from "./testing.ts";

function compiled(
  name: "create" | "read" | "update" | "delete",
  text: string,
  further: Partial<Collection> = {},
): CompiledRule {
  const stage = compileRules(noteRealm(noteCollection({ [name]: text }, further)));
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

  it("documentFields: the paths read of the document, sorted, each once", () => {
    expect(
      compiled(
        "update",
        "document.title == data.title || document.address.city == 'a' || document.title == 'b'",
      ).facts.documentFields,
    ).toEqual(["address.city", "title"]);
  });

  it("origin: file, line and key", () => {
    expect(compiled("read", "true").origin).toBe("desk/db/notes/collection.yaml:10 rules.read");
  });
});
