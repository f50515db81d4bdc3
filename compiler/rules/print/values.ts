/** Values of the rule form as expressions of emitted code. */
import {
  type Code,
  code,
  imported,
  join,
  optionalMember,
  member as plainMember,
} from "../../../templates/print/code.ts";
import { type Read, readsDocument, type Value } from "../form/form.ts";
import type { ValueType } from "../form/types.ts";
import { readerHelper } from "../helpers/operators.ts";
import { isPlain } from "./plain.ts";
import { type Conditions, type Printed, printed, wrapped } from "./printed.ts";

/** How the values of one emitted function are reached. */
export interface Surroundings {
  readonly document: ValueType;
  readonly data: ValueType;
  /** In rules of triggers. */
  readonly previous?: ValueType;
  /** In a field's write rule, where `document` is undefined on create. */
  readonly documentMayBeAbsent: boolean;
  /** Within `byClaims`, where those of the organization that the document names are `claims`. */
  readonly claimsGiven?: true;
}

export function helper(name: string): Code {
  return imported(name, "realmc/runtime");
}

export function call(name: string, ...values: readonly Code[]): Printed {
  return printed(code`${helper(name)}(${join(values)})`);
}

export function printValue(value: Value, surroundings: Surroundings, conditions: Conditions): Printed {
  const inner = (of: Value): Code => printValue(of, surroundings, conditions).code;
  switch (value.kind) {
    case "null":
      return printed(code`undefined`);
    case "literal":
      return printed(code`${value.value}`);
    case "list":
      return printed(code`${value.items}`);
    case "now":
      return printed(code`now`);
    case "moment":
      return call(value.helper, code`now`, code`${value.milliseconds}`);
    case "length":
      return call("length", inner(value.of));
    case "ends":
      return call(value.op === "startsWith" ? "beginnings" : "endings", inner(value.of));
    case "condition":
      return conditions(value.of);
    case "pick": {
      const yes = printValue(value.yes, surroundings, conditions);
      const no = printValue(value.no, surroundings, conditions);
      const text = code`${wrapped(conditions(value.when), "or")} ? ${yes.code} : ${no.code}`;
      return printed(text, "choice");
    }
    case "read":
      return printRead(value, surroundings);
    case "claim": {
      const isGiven = surroundings.claimsGiven === true && readsDocument(value.org);
      const claims = isGiven ? printed(code`claims`) : call("orgClaims", code`memberships`, inner(value.org));
      const [...names] = value.path.map((name) => code`${name}`);
      return names.length === 0 ? claims : call(readerHelper(value.type), claims.code, ...names);
    }
  }
}

function printRead(read: Read, surroundings: Surroundings): Printed {
  const { root, path, type } = read;
  if (root === "user") return printUser(path, type);
  if (root === "appConfig")
    return call(readerHelper(type), code`appConfig`, ...path.map((name) => code`${name}`));
  const name = names[root];
  if (!isPlain(surroundings[root] ?? surroundings.document, path))
    return call("member", name, ...path.map((segment) => code`${segment}`));
  const optional = root === "document" && surroundings.documentMayBeAbsent;
  const text = path.reduce<Code>(
    (owner, segment, at) =>
      at === 0 && !optional ? plainMember(owner, segment) : optionalMember(owner, segment),
    name,
  );
  return printed(text);
}

const names = { document: code`document`, previous: code`previous`, data: code`data` } as const;

function printUser(path: readonly string[], type: ValueType): Printed {
  const [name, ...rest] = path;
  if (name === undefined) return printed(code`user`);
  const text = optionalMember(code`user`, name);
  return rest.length === 0
    ? printed(text)
    : call(readerHelper(type), text, ...rest.map((segment) => code`${segment}`));
}
