import { collections, uniqueIndexes } from "../../../auth/collections.ts";
import { type KeyBinding, type KeyRecord, readAnyKey, readKey, writeKey } from "../../../auth/key-records.ts";
import { keyProblems, keyProblemsIn } from "../../../auth/keys.ts";
import { readScopes } from "../../../auth/scopes.ts";
import { isJsonObject, type JsonObject } from "../../../json.ts";
import { adminAreas, areasAmong } from "../../../realm/administration.ts";
import type { TokenScopes } from "../../../realm/caller.ts";
import type { RealmDefinition } from "../../../realm/definition.ts";
import { type Fields, type Form, generatedId, like, object, strings, time } from "./fields.ts";
import type { Names, RecordForm, RecordKind } from "./kind.ts";

/** API keys of all kinds: their hashes, by which the keys themselves go on being good; not those that a rotation replaced. */
export const keyKind: RecordKind = {
  asked: "keys",
  path: "_keys",
  collection: collections.keys,
  taken: "this key exists",
  clashes: {
    [uniqueIndexes.keyName]: "name: another key has it",
    [uniqueIndexes.ownKeyName]: "name: another key of its holder has it",
    key: "key: another key has this id",
  },
  action: "key.import",
  of: formOf,
};

function formOf(realm: RealmDefinition): RecordForm {
  return {
    shown(stored) {
      const found = readAnyKey(stored);
      if (found.kind === "former") return undefined;
      const { record } = found;
      const { id, key, name, binding, admin, on_behalf_of, scopes, networks, start } = record;
      const { created_at, created_by, expires_at, remind_at } = record;
      return {
        ...{ id, key, name, binding: binding && { ...binding }, on_behalf_of, start },
        admin: typeof admin === "boolean" ? admin : [...admin],
        scopes: scopes && { ...scopes },
        networks: networks && [...networks],
        ...{ created_at, created_by, expires_at, remind_at },
      };
    },
    idIn: ({ id }) => id,
    isGenerated: false,
    fits: (id) => /^[0-9a-f]{64}$/.test(id),
    made(fields, id, now, found) {
      const any = found && readAnyKey(found);
      if (any?.kind === "former") fields.tell("id", "is of a key that a rotation has replaced here");
      const before = found && any?.kind === "current" ? readKey(found).record : undefined;
      const binding = bindingIn(fields);
      const record: KeyRecord = {
        id,
        key: fields.required("key", generatedId, ""),
        name: fields.required("name", like(/^.{1,200}$/su, "a text"), ""),
        binding,
        admin: fields.optional("admin", administration, false),
        on_behalf_of: fields.optional("on_behalf_of", delegation, false),
        scopes: scopesIn(fields, binding),
        networks: fields.optional("networks", strings, null),
        start: fields.optional(
          "start",
          like(/^svk_[A-Za-z0-9_-]{4}$/, "the first 8 characters of the key"),
          null,
        ),
        created_at: fields.optional("created_at", time, before?.created_at ?? now),
        created_by: fields.optional("created_by", like(/^.{1,300}$/u, "who made it"), null),
        expires_at: fields.optional("expires_at", time, null),
        remind_at: fields.optional("remind_at", time, null),
      };
      if (before !== undefined && !isSameHolder(before, record))
        fields.tell("key", "and binding must be those that the key has here");
      judge(fields, realm, record);
      return { document: writeKey(record, (found?.version ?? 0) + 1), names: namesOf(record) };
    },
  };
}

function isSameHolder(one: KeyRecord, other: KeyRecord): boolean {
  return one.key === other.key && JSON.stringify(one.binding) === JSON.stringify(other.binding);
}

/** What a new key would be refused for; one that is over already may be. */
function judge(fields: Fields, realm: RealmDefinition, record: KeyRecord): void {
  const { name, admin, binding, on_behalf_of: onBehalfOf, scopes, networks } = record;
  const { admin: _, ...reach } = scopes ?? {};
  const key = {
    ...{ name, admin, onBehalfOf },
    ...(binding !== null && { binding }),
    ...(scopes !== null && { scopes: reach }),
    ...(networks !== null && { networks }),
  };
  const isTenants = binding?.kind === "personal" || binding?.kind === "organization";
  if (isTenants && (admin !== false || onBehalfOf !== false))
    fields.tell("admin", "and on_behalf_of go with keys of operators alone");
  for (const { path, reason } of [...keyProblems(key, 0), ...keyProblemsIn(realm, key)])
    fields.tell(path, reason);
  const { accounts } = realm;
  if (binding?.kind === "personal" && accounts === undefined) fields.tell("binding", "needs users");
  if (binding?.kind === "organization" && accounts?.organizations === undefined)
    fields.tell("binding", "needs organizations");
}

/** A service member, whom a key pinned to an organization acts as, comes after its key. */
function namesOf({ binding }: KeyRecord): Names {
  if (binding === null) return {};
  return "user" in binding ? { user: binding.user } : { org: binding.org };
}

const administration: Form<KeyRecord["admin"]> = {
  is: `true, false, or an array of ${adminAreas.join(", ")}`,
  read(value) {
    if (typeof value === "boolean") return value;
    if (!Array.isArray(value)) return undefined;
    const areas = areasAmong(value);
    return areas !== false && areas.length === value.length ? areas : undefined;
  },
};

const delegation: Form<KeyRecord["on_behalf_of"]> = {
  is: "true, false or required",
  read: (value) => (typeof value === "boolean" || value === "required" ? value : undefined),
};

function bindingIn(fields: Fields): KeyBinding | null {
  return fields.optional("binding", bound, null);
}

const bound: Form<KeyBinding> = {
  is: "an object of kind (personal, user, organization or org) and user or org, an id",
  read(value) {
    if (!isJsonObject(value)) return undefined;
    const { kind, user, org, ...others } = value;
    if (Object.keys(others).length > 0) return undefined;
    if (kind === "personal" || kind === "user")
      return typeof user === "string" && org === undefined ? { kind, user } : undefined;
    if (kind === "organization" || kind === "org")
      return typeof org === "string" && user === undefined ? { kind, org } : undefined;
    return undefined;
  },
};

function scopesIn(fields: Fields, binding: KeyBinding | null): TokenScopes | null {
  const given = fields.optional("scopes", object, null);
  if (given === null) return null;
  const { admin, ...rest }: JsonObject = given;
  const { scopes, problems } = readScopes(rest);
  for (const { path, reason } of problems) fields.tell(path, reason);
  if (admin === undefined) return scopes;
  const areas = Array.isArray(admin) ? areasAmong(admin) : false;
  if (binding?.kind !== "personal") fields.tell("scopes.admin", "goes with personal tokens alone");
  if (areas === false) fields.tell("scopes.admin", `must be an array of ${adminAreas.join(", ")}`);
  return areas === false ? scopes : { ...scopes, admin: areas };
}
