/** The last stage: what the templates make of realms. Pure: same model, same bytes. */

import type { JsonObject } from "../runtime/json.ts";
import { type ClientForm, clientFile } from "../templates/client/file.ts";
import { functionModule } from "../templates/functions/definition.ts";
import { functionTypesModules } from "../templates/functions/realm-types.ts";
import { functionRulesModules } from "../templates/functions/rules.ts";
import { handlerTypesModule } from "../templates/functions/types.ts";
import { codesOf } from "../templates/openapi/codes.ts";
import { openapiDocument } from "../templates/openapi/document.ts";
import { codeText, type EmittedFile } from "../templates/print/code.ts";
import { formatModule, jsonText } from "../templates/print/format.ts";
import { defaultsModules } from "../templates/server/defaults.ts";
import { fieldsModule } from "../templates/server/fields.ts";
import { migrationTypesModules } from "../templates/server/migration-types.ts";
import { migrationDeclarations, migrationModules } from "../templates/server/migrations.ts";
import { realmModule } from "../templates/server/realm.ts";
import { routesModule } from "../templates/server/routes.ts";
import { realmRulesModules, ruleCode, rulesModule } from "../templates/server/rules.ts";
import { programModule, serverModule } from "../templates/server/server.ts";
import { typesModule } from "../templates/server/types.ts";
import { callModules, profileModules, validateModules } from "../templates/server/validate.ts";
import { whileReadingAll } from "./diagnostics/internal-error.ts";
import { functionFile } from "./model/declaring-files.ts";
import type { Collection, Realm } from "./model/model.ts";
import type { Plan } from "./output/plan.ts";
import { collectionTestSchema, realmTestSchema } from "./rule-tests/editor-schema.ts";
import type { CompiledRules, RulePlace, RulesStage } from "./rules/compiled.ts";
import { effectiveOf } from "./settings/effective.ts";

/** Collections whose files are made at once; what it takes to make them is not held for all. */
const AT_ONCE = 20;

/** Every file of a realm, sorted by path. */
export async function realmFiles(
  realm: Realm,
  rules: RulesStage,
  form: ClientForm = {},
): Promise<readonly EmittedFile[]> {
  // The document is the largest of all: nothing else is held while it is made.
  const { description, codes } = descriptionFile(realm, rules);
  const collections = realm.databases.flatMap((database) => database.collections);
  const files = laidOut([
    realmModule(realm, rules),
    ...realmRulesModules(realm, rules),
    ...(realm.auth && realm.profile !== undefined ? profileModules(realm.name, realm.profile) : []),
    ...(await functionModules(realm, rules)),
  ]);
  for (let at = 0; at < collections.length; at += AT_ONCE) {
    const some = collections.slice(at, at + AT_ONCE);
    const modules = await Promise.all(
      some.map((each) => whileReadingAll(each.schema.path, () => collectionModules(each, realm, rules))),
    );
    files.push(...laidOut(modules.flat()));
  }
  const effective = { path: `${realm.name}/effective.json`, text: jsonText(effectiveOf(realm, rules)) };
  const client = await clientFile(realm, codes, form);
  return [...files, description, effective, client, ...testSchemas(realm, collections)].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

/** For editors of `_tests`: nothing else reads them. */
function testSchemas(realm: Realm, collections: readonly Collection[]): readonly EmittedFile[] {
  if (!realm.auth) return [];
  const file = (folder: string, schema: JsonObject): EmittedFile => ({
    path: `${folder}/rule-test.schema.json`,
    text: jsonText(schema),
  });
  return [
    file(realm.name, realmTestSchema(realm)),
    ...collections.map((each) =>
      file(`${realm.name}/${each.database}/${each.name}`, collectionTestSchema(realm, each)),
    ),
  ];
}

function descriptionFile(
  realm: Realm,
  rules: RulesStage,
): { readonly description: EmittedFile; readonly codes: readonly string[] } {
  const document = openapiDocument(realm, rules);
  return {
    description: { path: `${realm.name}/openapi.json`, text: jsonText(document) },
    codes: codesOf(document),
  };
}

async function functionModules(realm: Realm, rules: RulesStage): Promise<readonly EmittedFile[]> {
  const modules = realm.functions.map((fn) =>
    whileReadingAll(functionFile(fn), async () => {
      const compiled = rules.functions.get(`${fn.database}/${fn.name}`) ?? { whens: [] };
      return [
        functionModule({ fn, auth: realm.auth, compiled }),
        ...functionRulesModules(realm, fn, compiled),
        ...callModules(fn),
        await handlerTypesModule(realm, fn),
      ];
    }),
  );
  return [...functionTypesModules(realm), ...(await Promise.all(modules)).flat()];
}

/** The modules that a realm's handlers are written against, by the very texts that are emitted but for their layout. */
export async function handlerTypes(realm: Realm): Promise<readonly EmittedFile[]> {
  const collections = realm.databases.flatMap((database) => database.collections);
  return [
    ...functionTypesModules(realm),
    ...(await Promise.all(realm.functions.map((fn) => handlerTypesModule(realm, fn)))),
    ...(await Promise.all(collections.map((each) => typesModule(each, realm)))),
    ...(await Promise.all(collections.map(migrationTypesModules))).flat(),
  ];
}

async function collectionModules(
  collection: Collection,
  realm: Realm,
  rules: RulesStage,
): Promise<readonly EmittedFile[]> {
  const { auth } = realm;
  const compiled = rules.collections.get(`${collection.database}/${collection.name}`) ?? {
    rules: {},
    fieldRules: [],
  };
  return [
    await typesModule(collection, realm),
    ...validateModules(collection),
    fieldsModule(collection, realm),
    ...defaultsModules(collection),
    ...migrationModules(collection, rules),
    ...migrationDeclarations(collection),
    ...(await migrationTypesModules(collection)),
    ...(auth ? [rulesModule(collection, compiled)] : []),
    routesModule({ collection, auth, compiled }),
  ];
}

/** What `rules.ts` has of one rule, alone; empty where it leaves the rule out, being the same for all. */
export function ruleText(collection: Collection, rules: CompiledRules, place: RulePlace): string {
  const text = codeText(ruleCode(collection, rules, place));
  return formatModule({ path: "rules.ts", text }).text.trimEnd();
}

/** `server.ts`, which serves these realms. */
export function serverFile(realms: readonly string[]): EmittedFile {
  return formatModule(serverModule(realms));
}

/** What `realmc dev` runs in its place. */
export function programFile({ manifest }: Plan): EmittedFile {
  return programModule(manifest.fingerprint, Object.keys(manifest.realms));
}

/** Validators are for machines: their generator's layout stays. */
function laidOut(files: readonly EmittedFile[]): EmittedFile[] {
  return files.map((file) => (file.path.endsWith(".js") ? file : formatModule(file)));
}
