import { describe, expect, it } from "vitest";
import { compileRules } from "./rules.ts";
import { golden } from "./testing/diagnostics.ts";
import { noteCollection, noteRealm, ruleSource } from "./testing/realms.ts";

describe("names", () => {
  golden("read", [
    [
      "⟦public⟧ || true",
      "rule-unknown-name 'public' is not a name that rules know (did you mean document.public?)",
    ],
    ["⟦yes⟧", "rule-unknown-name 'yes' is not a name that rules know (write true)"],
    [
      "document.due_at < ⟦Date⟧.now()",
      "rule-unknown-name 'Date' is not a name that rules know (write now, ago('7d') or ahead('1h'))",
    ],
    [
      "⟦request⟧.auth.uid == 'a'",
      "rule-unknown-name 'request' is not a name that rules know (the caller is user, what is written is data)",
    ],
    [
      "⟦documnt⟧.title == 'a'",
      "rule-unknown-name 'documnt' is not a name that rules know (did you mean 'document'?)",
    ],
    [
      "⟦hasRol⟧('editor')",
      "rule-unknown-name 'hasRol' is not a name that rules know (did you mean 'hasRole'?)",
    ],
    [
      "⟦globalThis⟧ == null",
      "rule-unknown-name 'globalThis' is not a name that rules know (a rule knows document, user, now, appConfig, hasRole, ago, ahead)",
    ],
    [
      "⟦data⟧.title == 'a'",
      "rule-unavailable-name 'data' is not available in a read rule (nothing is written; what is stored is document)",
    ],
    [
      "⟦inOrg⟧(document._meta.⟦org⟧)",
      "rule-no-organizations inOrg needs organizations, and realm.yaml declares none (declare organizations with their roles in realm.yaml)",
      "rule-unknown-field Property 'org' does not exist on document._meta (documents have it only with organization)",
    ],
    [
      "⟦orgClaims⟧('o').plan == 'pro'",
      "rule-no-organizations orgClaims needs organizations, and realm.yaml declares none (declare organizations with their roles in realm.yaml)",
    ],
  ]);
  golden("create", [
    [
      "⟦document⟧.title == 'a'",
      "rule-unavailable-name 'document' is not available in a create rule (nothing is stored yet; what is being created is data)",
    ],
    [
      "data.⟦id⟧ == 'a'",
      "rule-unknown-field Property 'id' does not exist on data (it is there only with custom_id)",
    ],
  ]);
  golden("delete", [
    [
      "⟦data⟧.title == 'a'",
      "rule-unavailable-name 'data' is not available in a delete rule (nothing is written; what is stored is document)",
    ],
  ]);
  golden("field read", [
    [
      "⟦data⟧.title == 'a'",
      "rule-unavailable-name 'data' is not available in a field read rule (nothing is written; what is stored is document)",
    ],
  ]);
});

describe("fields", () => {
  golden("read", [
    [
      "document.⟦owner⟧ == user.id",
      "rule-unknown-field Property 'owner' does not exist on document (did you mean '_meta.owner'?)",
    ],
    [
      "user.profile.⟦birthday⟧ == 'a'",
      "rule-unknown-field Property 'birthday' does not exist on user.profile (its members are declared in realm.yaml, under profile)",
    ],
    [
      "appConfig.⟦beta⟧ == 'a'",
      "rule-unknown-field Property 'beta' does not exist on appConfig (its values stand in realm.yaml, under app_config)",
    ],
    [
      "document.⟦titel⟧ == 'a'",
      "rule-unknown-field Property 'titel' does not exist on document (did you mean 'title'?)",
    ],
    [
      "document.address.⟦citi⟧ == 'a'",
      "rule-unknown-field Property 'citi' does not exist on document.address (did you mean 'city'?)",
    ],
    [
      "document?.address?.⟦zip⟧ == 'a'",
      "rule-unknown-field Property 'zip' does not exist on document.address",
    ],
    [
      "document.lines.⟦sku⟧ == 'a'",
      "rule-unknown-field Property 'sku' does not exist on document.lines (a list)",
    ],
    [
      "document.title.⟦size⟧ == 1",
      "rule-unknown-field Property 'size' does not exist on document.title (a string)",
    ],
    [
      "document.⟦toString⟧ == null",
      "rule-unknown-field Property 'toString' does not exist on document (fields are declared in schema.json)",
    ],
    [
      "document[⟦'due-on'⟧] == null",
      "rule-unknown-field Property 'due-on' does not exist on document (did you mean 'due-at'?)",
    ],
    [
      "document._meta.⟦ownr⟧ == user.id",
      "rule-unknown-field Property 'ownr' does not exist on document._meta (did you mean 'owner'?)",
    ],
    ["user.⟦name⟧ == 'a'", "rule-unknown-field Property 'name' does not exist on user"],
    [
      "user.profile.⟦teem⟧ == 'a'",
      "rule-unknown-field Property 'teem' does not exist on user.profile (did you mean 'team'?)",
    ],
    [
      "appConfig.⟦trail_days⟧ == 1",
      "rule-unknown-field Property 'trail_days' does not exist on appConfig (did you mean 'trial_days'?)",
    ],
    [
      "document.⟦titel⟧ == 'a' && document.⟦titl⟧ == 'b'",
      "rule-unknown-field Property 'titel' does not exist on document (did you mean 'title'?)",
      "rule-unknown-field Property 'titl' does not exist on document (did you mean 'title'?)",
    ],
    ["document.due_at.⟦length⟧ == 10", "rule-unknown-field Property 'length' does not exist on a date"],
  ]);

  it("`_meta.deleted_at` is there only where the collection soft-deletes", () => {
    const rule = { read: "document._meta.deleted_at == null" };
    const { softDelete: _, ...plain } = noteCollection(rule);
    expect(compileRules(noteRealm(plain)).diagnostics.map(({ code }) => code)).toEqual([
      "rule-unknown-field",
    ]);
    expect(compileRules(noteRealm(noteCollection(rule))).diagnostics).toEqual([]);
  });

  it("`data.id` is there where clients choose ids", () => {
    const customId = { duplicateLimit: 20, span: ruleSource("", "").span };
    const collection = noteCollection({ create: "data.id == user.id" }, { customId });
    expect(compileRules(noteRealm(collection)).diagnostics).toEqual([]);
  });
});

describe("booleans", () => {
  golden("read", [
    [
      "⟦document.title⟧",
      "rule-not-boolean a rule must be true or false, but this is a string (say what it is compared with, for example != null)",
    ],
    [
      "⟦document.count⟧ && true",
      "rule-not-boolean an operand of && must be true or false, but this is a number (say what it is compared with, for example != null)",
    ],
    [
      "true || ⟦user⟧",
      "rule-not-boolean an operand of || must be true or false, but this is an object (write user != null for signed-in callers)",
    ],
    [
      "!⟦document.tags⟧",
      "rule-not-boolean the operand of ! must be true or false, but this is a list (compare its length, or use .includes(x))",
    ],
    [
      "⟦user.id⟧ ? true : false",
      "rule-not-boolean the condition of ?: must be true or false, but this is a string (say what it is compared with, for example != null)",
    ],
    ["user.mfa ? ⟦'yes'⟧ : true", "rule-not-boolean a rule must be true or false, but this is a string"],
    ["⟦null⟧", "rule-not-boolean a rule must be true or false, but this is null"],
    ["⟦now⟧", "rule-not-boolean a rule must be true or false, but this is a date"],
    [
      "⟦document.mixed⟧ && ⟦document.due_at⟧",
      "rule-not-boolean an operand of && must be true or false, but this is a number or a string (say what it is compared with, for example != null)",
      "rule-not-boolean an operand of && must be true or false, but this is a date (say what it is compared with, for example != null)",
    ],
  ]);
});
