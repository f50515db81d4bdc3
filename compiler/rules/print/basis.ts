/**
 * What a condition depends on besides the document, as an expression of emitted functions: while it is equal as JSON, the
 * condition says the same of every document. Where the caller alone decides, what else is read of them is left out.
 */
import { type Code, code, join } from "../../../templates/print/code.ts";
import { claimedOrgs, isGiven } from "../form/claims.ts";
import {
  type Condition,
  isKnown,
  type Leaf,
  type Membership,
  operands,
  readsDocument,
  termsOf,
  type Value,
} from "../form/form.ts";
import { typeOf } from "../form/values.ts";
import { membershipHelpers } from "../helpers/memberships.ts";
import { checkPrinter } from "./check.ts";
import { call, printValue, type Surroundings } from "./values.ts";

/** The body of a basis function: always an array, empty where the condition depends on the document alone. */
export function printBasis(whole: Condition, surroundings: Surroundings): Code {
  const check = checkPrinter(whole, surroundings);
  const given: Surroundings = { ...surroundings, claimsGiven: true };
  return code`[${join(ofCondition(whole))}]`;

  function ofCondition(condition: Condition): readonly Code[] {
    if (condition.kind === "constant") return [];
    if (isKnown(condition)) return [check(condition).code];
    switch (condition.kind) {
      case "and":
        return decidedBy(condition.of, "and");
      case "or":
        return decidedBy(condition.of, "or");
      case "choice":
        return isKnown(condition.when)
          ? chosen(condition.when, ofCondition(condition.yes), ofCondition(condition.no))
          : termsOf(condition).flatMap(ofCondition);
      case "not":
        return ofCondition(condition.of);
      default:
        return ofLeaf(condition);
    }
  }

  /** Terms that only the caller decides come first: as they are, they may make the rest of no importance. */
  function decidedBy(terms: readonly Condition[], kind: "and" | "or"): readonly Code[] {
    const known = terms.filter(isKnown);
    const rest = terms.filter((term) => !isKnown(term)).flatMap(ofCondition);
    const [first] = known;
    if (first === undefined) return rest;
    const { at } = first;
    return decided(known.length === 1 ? first : { kind, of: known, at }, kind, rest);
  }

  /** @param kind `and`: the rest matters where the condition holds; `or`: where it does not */
  function decided(condition: Condition, kind: "and" | "or", rest: readonly Code[]): readonly Code[] {
    const { code: known } = check(condition);
    return [rest.length === 0 ? known : call(kind === "and" ? "ifSo" : "unlessSo", known, ...rest).code];
  }

  function chosen(when: Condition, yes: readonly Code[], no: readonly Code[]): readonly Code[] {
    if (no.length === 0) return decided(when, "and", yes);
    return [...(yes.length === 0 ? [] : decided(when, "and", yes)), ...decided(when, "or", no)];
  }

  function ofLeaf(leaf: Leaf): readonly Code[] {
    if (leaf.kind === "hasRole") return ofRoles(leaf.roles);
    if (leaf.kind === "membership") return ofMembership(leaf);
    if (claimedOrgs(leaf).length === 1 && isGiven(leaf)) return [byOrg(checkPrinter(leaf, given)(leaf).code)];
    return operands(leaf).flatMap((operand) => ofValue(operand));
  }

  function ofRoles(roles: readonly Value[]): readonly Code[] {
    const unknown = roles.filter((role) => !isKnown(role));
    const named = roles.filter(isKnown).map(printed);
    const rest = [unordered(code`user?.roles`), ...unknown.flatMap(ofValue)];
    if (named.length === 0) return rest;
    return [call("unlessSo", call("hasRole", code`user`, ...named).code, ...rest).code];
  }

  function ofMembership({ helper: name, id, roles }: Membership): readonly Code[] {
    const own = (list: string, ...values: readonly Code[]) => call(list, code`memberships`, ...values).code;
    const { all, as, rolesIn, held } = membershipHelpers[name].filter;
    const named = roles.filter(isKnown).map(printed);
    const unknown = roles.filter((role) => !isKnown(role));
    const rest = [...ofUnknown(id), ...unknown.flatMap(ofValue)];
    if (roles.length === 0) return [unordered(own(all)), ...rest];
    const places = isKnown(id) ? own(name, printed(id), ...named) : unordered(own(as, ...named));
    const some = named.length === 0 ? [] : [places];
    if (unknown.length === 0) return [...some, ...rest];
    return [...some, isKnown(id) ? unordered(own(rolesIn, printed(id))) : own(held), ...rest];
  }

  function ofUnknown(value: Value): readonly Code[] {
    return isKnown(value) ? [] : ofValue(value);
  }

  function ofValue(value: Value): readonly Code[] {
    if (isKnown(value)) return ofKnown(value);
    switch (value.kind) {
      case "length":
      case "ends":
        return ofValue(value.of);
      case "condition":
        return ofCondition(value.of);
      case "pick": {
        const [yes, no] = [ofValue(value.yes), ofValue(value.no)];
        return isKnown(value.when)
          ? chosen(value.when, yes, no)
          : [...ofCondition(value.when), ...yes, ...no];
      }
      case "claim":
        return readsDocument(value.org)
          ? [byOrg(printValue(value, given, check).code)]
          : [call("claimsByOrg", code`memberships`, code`(claims) => claims`).code, ...ofValue(value.org)];
      default:
        return [];
    }
  }

  function ofKnown(value: Value): readonly Code[] {
    if (value.kind === "null" || value.kind === "literal" || value.kind === "list") return [];
    return [typeOf(value).elements === undefined ? printed(value) : unordered(printed(value))];
  }

  function byOrg(ofClaims: Code): Code {
    return call("claimsByOrg", code`memberships`, code`(claims) => ${ofClaims}`).code;
  }

  function unordered(list: Code): Code {
    return call("unordered", list).code;
  }

  function printed(value: Value): Code {
    return printValue(value, surroundings, check).code;
  }
}
