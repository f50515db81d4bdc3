/** The types of what rules read, from the model: declared fields, server-owned fields, profile, `app_config`. */
import type { FieldKind, FieldTable } from "../../../runtime/filter/fields.ts";
import { isJsonObject, type JsonValue } from "../../../runtime/json.ts";
import { storedFields } from "../../model/file-fields.ts";
import type { Collection, DeclaredField } from "../../model/model.ts";
import { belongingFields, serverFields } from "../../model/server-fields.ts";

import {
  booleanType,
  instantType,
  numberType,
  openType,
  textType,
  unique,
  type ValueKind,
  type ValueType,
} from "../form/types.ts";

const valueKinds: Readonly<Record<FieldKind, ValueKind>> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "boolean",
  "date-time": "date-time",
  date: "date",
  object: "object",
};

export function documentType(collection: Collection, auth: boolean): ValueType {
  const meta = metaType(serverFields({ auth }, collection));
  const own = { ...declaredMembers(storedFields(collection)), id: textType, _meta: meta };
  return withOpen(objectType(own), collection.open);
}

/**
 * What is written: the declared fields, the id where clients choose it, and where the document belongs, which requests
 * say beside it.
 */
export function dataType(collection: Collection): ValueType {
  const own = objectType({
    ...declaredMembers(collection.fields),
    ...(collection.customId === undefined ? {} : { id: textType }),
    ...(collection.organization === undefined ? {} : { _meta: metaType(belongingFields(collection)) }),
  });
  return withOpen(own, collection.open);
}

/** What a call is called with. @param open paths of it that mistakes leave open */
export function inputType(fields: readonly DeclaredField[], open: readonly string[]): ValueType {
  return withOpen(objectType(declaredMembers(fields)), open);
}

/** The type of an object where some paths in it, or all (`""`), are open. */
function withOpen(type: ValueType, paths: readonly string[] = []): ValueType {
  return paths.reduce(opened, type);
}

function opened(type: ValueType, path: string): ValueType {
  if (path === "") return { ...type, open: true };
  const [name = "", ...rest] = path.split(".");
  const members = type.members ?? {};
  const member = Object.hasOwn(members, name) ? members[name] : undefined;
  const inner =
    rest.length === 0
      ? { ...openType, ...member, open: true as const }
      : opened(member ?? objectType({}), rest.join("."));
  return { ...type, members: Object.fromEntries([...Object.entries(members), [name, inner]]) };
}

/** `_meta`, of the fields in it. */
function metaType(fields: FieldTable): ValueType {
  const members = Object.values(fields).flatMap(({ segments: [top, name], kinds }) =>
    top === "_meta" && name !== undefined
      ? [[name, { kinds: kinds.map((kind) => valueKinds[kind]) }] as const]
      : [],
  );
  return objectType(Object.fromEntries(members));
}

/** @param open paths of the profile that mistakes leave open */
export function userType(profile: readonly DeclaredField[], open: readonly string[]): ValueType {
  return objectType({
    id: textType,
    email: textType,
    email_verified: booleanType,
    roles: { kinds: [], elements: ["text"] },
    locale: textType,
    mfa: booleanType,
    created_at: instantType,
    profile: withOpen(objectType(declaredMembers(profile)), open),
  });
}

/** The type of a configured value: what the same place holds at run time is believed only as far as it fits. */
export function configuredType(value: JsonValue | undefined): ValueType {
  if (Array.isArray(value))
    return { kinds: [], elements: unique(value.flatMap((item) => configuredType(item).kinds)) };
  if (isJsonObject(value)) {
    return objectType(
      Object.fromEntries(Object.entries(value).map(([name, member]) => [name, configuredType(member)])),
    );
  }
  switch (typeof value) {
    case "string":
      return textType;
    case "number":
      return numberType;
    case "boolean":
      return booleanType;
    default:
      return { kinds: [] };
  }
}

function objectType(members: Readonly<Record<string, ValueType>>): ValueType {
  return { kinds: ["object"], members };
}

/** A tree under construction: members by name, without a prototype since fields may be called `__proto__`. */
interface Level {
  field?: DeclaredField;
  readonly members: Map<string, Level>;
}

function declaredMembers(fields: readonly DeclaredField[]): Readonly<Record<string, ValueType>> {
  const top: Level = { members: new Map() };
  for (const field of fields) {
    let level = top;
    for (const name of field.path.split(".")) {
      const next: Level = level.members.get(name) ?? { members: new Map() };
      level.members.set(name, next);
      level = next;
    }
    level.field = field;
  }
  return levelMembers(top);
}

function levelMembers(level: Level): Readonly<Record<string, ValueType>> {
  return Object.fromEntries([...level.members].map(([name, member]) => [name, levelType(member)]));
}

function levelType({ field, members }: Level): ValueType {
  const declared = unique((field?.kinds ?? []).map((kind) => valueKinds[kind]));
  const isList = field?.arrays.includes(field.path) ?? false;
  // What stands inside a list has no one value that a rule could read.
  const inner = isList || members.size === 0 ? undefined : levelMembers({ members });
  const kinds =
    inner !== undefined && !declared.includes("object") ? [...declared, "object" as const] : declared;
  return {
    kinds: isList && field?.scalar === false ? [] : kinds,
    ...(isList ? { elements: declared } : {}),
    ...(field?.values === undefined ? {} : { values: field.values }),
    ...(inner === undefined ? {} : { members: inner }),
  };
}
