/** Members of values: `document.title`, `user.roles.length`. */
import type { ts } from "@ts-morph/common";
import { serverOwnedFields } from "../../../runtime/filter/fields.ts";
import { didYouMean } from "../../../runtime/suggest.ts";
import { settingOf } from "../../model/server-fields.ts";
import { usedAs } from "../form/claims.ts";
import type { At, Claim, Read, Value } from "../form/form.ts";
import { describe, openType, scalarType, type ValueType } from "../form/types.ts";
import { typeOf } from "../form/values.ts";
import type { Environment } from "./environment.ts";
import { possible } from "./flow.ts";
import { isNever, kindsOf, possibleOf } from "./possible.ts";
import type { RuleScope } from "./scopes.ts";

export const textMethods = ["includes", "startsWith", "endsWith"] as const;

export type TextMethod = (typeof textMethods)[number];

export function isTextMethod(name: string): name is TextMethod {
  return textMethods.some((method) => method === name);
}

/** A member as it is written. */
export interface Access {
  readonly owner: ts.Expression;
  readonly name: string;
  /** Of the name. */
  readonly where: At;
  /** Of the whole. */
  readonly at: At;
}

export function memberOf(access: Access, value: Value, environment: Environment): Value | undefined {
  const { name, where, at } = access;
  const { report } = environment;
  const type = typeOf(value);
  const isMethod = isTextMethod(name);
  if ((value.kind === "claim" || (value.kind === "read" && type.open)) && !isMethod && !declares(type, name))
    return memberOfOpen(value, name, at);
  if (!hasMember(access, value, environment)) return undefined;
  const member = type.members?.[name];
  if (value.kind === "read" && member !== undefined && declares(type, name))
    return { kind: "read", root: value.root, path: [...value.path, name], type: member, at };
  if (name === "length" && hasLength(type)) return { kind: "length", of: value, at };
  if (isMethod) {
    report("rule-construct", where, { construct: `${name} without a call` }, `write .${name}('…')`);
  } else if (value.kind === "pick") {
    report(
      "rule-construct",
      where,
      { construct: "a member of an operation" },
      "choose between members instead",
    );
  } else {
    report("rule-unknown-field", where, { name, owner: describe(type) });
  }
  return undefined;
}

/** The claims are an object, as documents are; whatever stands in it may be a text or a list. */
function memberOfOpen(of: Value & (Claim | Read), name: string, at: At): Value {
  if (name !== "length" || of.path.length === 0)
    return { ...of, path: [...of.path, name], type: openType, at };
  const measured = usedAs(of, { kinds: ["text"], elements: scalarType.kinds });
  return { kind: "length", of: measured, at };
}

function hasLength({ kinds, elements }: ValueType): boolean {
  return elements === undefined
    ? kinds.length > 0 && kinds.every((kind) => kind === "text")
    : kinds.length === 0;
}

function declares({ members = {} }: ValueType, name: string): boolean {
  return Object.hasOwn(members, name);
}

/** Whether there is something to say of such a member; reports where there is not. */
export function hasMember(
  { owner, name, where }: Pick<Access, "owner" | "name" | "where">,
  value: Value,
  { at, report, flow, scope, types }: Environment,
): boolean {
  const type = typeOf(value);
  const text = owner.getText().replaceAll("?.", ".").replace(/\s+/g, " ");
  const can = possible(value, flow);
  if (value.kind === "null") {
    report("rule-comparison", value.at, { problem: "only == and != compare with null" });
    return false;
  }
  if (can !== undefined && isNever(can)) {
    const problem = `${text} can have no value here: what stands before excludes them all`;
    report("rule-comparison", at(owner), { problem });
    return false;
  }
  const names = membersOf(value, type);
  if (names === undefined || names.includes(name)) return true;
  report(
    "rule-unknown-field",
    where,
    { name, owner: `${text}${typeNote(type)}` },
    hint(text, name, names, scope, types.document),
  );
  return false;
}

/** Undefined where members may have any name, or it is not known which there are. */
function membersOf(value: Value, type: ValueType): readonly string[] | undefined {
  const { kinds, elements, members, open } = type;
  if (open || value.kind === "claim" || (value.kind === "pick" && kinds.includes("object"))) return undefined;
  const scalars = kinds.filter((kind) => kind !== "object");
  const isText = scalars.every((kind) => kind === "text" || kind === "date-time" || kind === "date");
  const ofTexts = scalars.length > 0 && isText ? ["length", ...textMethods] : [];
  const own = [...Object.keys(members ?? {}), ...ofTexts];
  if (elements === undefined) return own;
  const ofLists = ["length", "includes"];
  return kinds.length === 0 ? ofLists : ofLists.filter((name) => own.includes(name));
}

/** What the owner is, where it is no object. */
function typeNote(type: ValueType): string {
  if (type.elements !== undefined) return " (a list)";
  const can = possibleOf(type);
  return can === undefined ? "" : ` (${words(kindsOf(can))})`;
}

/** `a string or a number`. */
export function words(kinds: readonly string[]): string {
  return kinds.map((kind) => `a ${kind}`).join(" or ");
}

function hint(
  owner: string,
  name: string,
  members: readonly string[],
  { isInput, document }: RuleScope,
  stored: ValueType,
): string | undefined {
  const setting = owner.endsWith("._meta") ? settingOf(`_meta.${name}`) : undefined;
  if (setting !== undefined) return `documents have it only with ${setting}`;
  if (owner === "data" && name === "id" && !isInput) return "it is there only with custom_id";
  // Of a schema's fields, data has all that documents have.
  if (owner === "data" && !isInput && name !== "id" && name !== "_meta" && declares(stored, name))
    return document ? `files are uploaded apart; write document.${name}` : "there is no file yet";
  if (owner === "data" && name === "_meta" && !isInput) return "it is there only with organization";
  const meant = didYouMean(name, members);
  if (
    meant === undefined &&
    (owner === "document" || owner === "previous") &&
    Object.hasOwn(serverOwnedFields, `_meta.${name}`)
  )
    return `did you mean '_meta.${name}'?`;
  return meant ?? (owner === "data" && isInput ? "its members are declared under input" : declaring[owner]);
}

/** Where members are declared. */
const declaring: Readonly<Record<string, string>> = {
  document: "fields are declared in schema.json",
  previous: "fields are declared in schema.json",
  data: "fields are declared in schema.json",
  "user.profile": "its members are declared in realm.yaml, under profile",
  appConfig: "its values stand in realm.yaml, under app_config",
};
