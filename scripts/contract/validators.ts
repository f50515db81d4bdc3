/** `runtime/contract/validators.ts`: what the bodies of fixed routes are held against, compiled here and not at start. */
import { transformSync } from "esbuild";
import { validatorCode } from "../../compiler/schema/validator.ts";
import { isOfBytes, type RouteContract } from "../../runtime/contract/contract.ts";
import { documentAdministration } from "../../runtime/contract/document-administration.ts";
import { fileContracts } from "../../runtime/contract/file-contracts.ts";
import { contracts } from "../../runtime/contract/index.ts";
import { isMade, isNamed, type Schema } from "../../runtime/contract/schema.ts";
import type { JsonObject } from "../../runtime/json.ts";

/** One line a body, in the order of contracts. */
export function validatorsModule(): string {
  const helpers = new Set<string>();
  const routes: readonly RouteContract[] = [
    ...contracts,
    ...Object.values(documentAdministration),
    ...fileContracts,
  ];
  const compiled = routes.flatMap(({ id, body }) => {
    if (body === undefined || isMade(body.schema) || isOfBytes(body)) return [];
    const document = judged(body.schema);
    const code = validatorCode({
      path: `${id}.json`,
      pointer: "",
      document,
      files: [{ path: `${id}.json`, document }],
    });
    for (const helper of code.helpers) helpers.add(helper);
    const text = `${code.text.replace("export const validate = validate0;", "")}\nreturn validate0;`;
    return [`  ${/^\w+$/.test(id) ? id : JSON.stringify(id)}: (() => {${compact(text)}})(),`];
  });
  return [
    "// @ts-nocheck Made of the contracts by scripts/contract/validators.ts (UPDATE_GOLDEN=1). Do not edit.",
    'import type { Validator } from "../realm/validator.ts";',
    ...[...helpers].sort().map((helper) => `import { ${helper} } from "${homes[helper] ?? ""}";`),
    "/** Of the bodies of contracts, by the id of the operation. */",
    "export const validators: Readonly<Record<string, Validator>> = {",
    ...compiled,
    "};",
    "",
  ].join("\n");
}

/** Of what validators use. */
const homes: Readonly<Record<string, string>> = {
  codePointLength: "../validation/text.ts",
  duplicateItems: "../validation/equal.ts",
  equal: "../validation/equal.ts",
  formats: "../validation/formats.ts",
  isMultipleOf: "../validation/multiples.ts",
};

/**
 * What of a schema is the validator's to judge: not what checks judge beyond its type, nor names of members,
 * which who reads the body compares.
 */
function judged(schema: Schema): JsonObject {
  if (isNamed(schema)) {
    if (typeof schema.schema === "function")
      throw new Error(`the body's ${schema.named} is not the same in all realms`);
    return judged(schema.schema);
  }
  const { properties, items, anyOf, additionalProperties, type, check, realm, ...facets } = schema;
  const {
    required,
    told: _,
    itself: __,
    made: ___,
    when: ____,
    description: _____,
    client: ______,
    ...others
  } = facets;
  return {
    ...(type !== undefined && { type: typeof type === "string" ? type : [...type] }),
    ...(required !== undefined && { required: [...required] }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, judged(inner)]),
      ),
    }),
    ...(typeof additionalProperties === "object" && { additionalProperties: judged(additionalProperties) }),
    ...(items !== undefined && { items: judged(items) }),
    ...(anyOf !== undefined && check === undefined && { anyOf: anyOf.map(judged) }),
    ...(check === undefined && realm === undefined && JSON.parse(JSON.stringify(others))),
  };
}

function compact(text: string): string {
  return transformSync(text.replace("return validate0;", "RETURN(validate0);"), {
    loader: "js",
    minifyWhitespace: true,
    charset: "utf8",
  })
    .code.trim()
    .replace("RETURN(validate0);", "return validate0;");
}
