/** Searches make up roles where a document names one: files of tests have those that the realm declares. */
import { isJsonObject, type JsonValue } from "../../../runtime/json.ts";
import type { Realm } from "../../model/model.ts";
import { membershipsKey } from "../../proofs/candidates.ts";
import type { Witness } from "../../proofs/search.ts";
import { readKey } from "../../rules/form/form.ts";

const rolesKey = readKey({ root: "user", path: ["roles"] });

/** The witness with a declared role in place of each that is made up, in documents as well; undefined where none is declared. */
export function withDeclaredRoles(realm: Realm, witness: Witness): Witness | undefined {
  const { roles = [], teamRoles = [] } = realm.organizations ?? {};
  const held = witness.choices.get(membershipsKey);
  const place = isJsonObject(held) ? held : {};
  const kinds = [
    [textsOf(witness.choices.get(rolesKey)), realm.roles],
    [textsOf(place["roles"]), roles],
    [textsOf(place["teamRoles"]), teamRoles],
  ] as const;
  const instead = new Map<string, string>();
  for (const [own, declared] of kinds) {
    const names = declared.map(({ name }) => name);
    for (const role of own) {
      if (names.includes(role)) continue;
      const other = names.find((name) => !own.includes(name));
      if (other === undefined) return undefined;
      instead.set(role, other);
    }
  }
  if (instead.size === 0) return witness;
  const choices = [...witness.choices].map(
    ([key, value]) => [key, value === undefined ? undefined : replaced(value, instead)] as const,
  );
  return { ...witness, choices: new Map(choices) };
}

function replaced(value: JsonValue, instead: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === "string") return instead.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, instead));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member = null]) => [name, replaced(member, instead)]),
  );
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
