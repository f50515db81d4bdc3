/** Which test files run on MongoDB, too. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../workspace.ts";

/** About MongoDB alone, about what every engine does, or about a store that servers share. */
const always = [
  "compiler/bundle/bundle.test.ts",
  "compiler/plan/plan-mongodb.test.ts",
  "compiler/rules/stores.test.ts",
  "examples/**/*.test.ts",
  "runtime/feed/{consumer,convoy,hub,hub-gaps}.test.ts",
  "runtime/functions/{call,harm,metrics,threads,webhook,{administration,events,host}/**/*}.test.ts",
  "runtime/realtime/**/*.test.ts",
  "runtime/store/{beside,contract}.test.ts",
  "runtime/store/mongodb/**/*.test.ts",
  "scripts/conformance/parity.test.ts",
  "scripts/crash/**/*.test.ts",
  "scripts/instances/**/*.test.ts",
  "scripts/organizations/**/*.test.ts",
  "scripts/realtime/**/*.test.ts",
  "scripts/security/{at-rest,races}.test.ts",
  "scripts/validation/**/*.test.ts",
];

/** All that could: what else runs on both when `REALMC_TESTS=full`. */
const possible = [
  "runtime/{auth,documents,files,http,instance,jobs,organizations}/**/*.test.ts",
  "scripts/client/live*.test.ts",
  "scripts/conformance/**/*.test.ts",
  "scripts/security/{csrf,limits,mass-assignment,matrix,objects,outsiders,sessions}.test.ts",
];

/** Features of the server, each a folder with what it consists of. */
export const features = ["auth", "documents", "files", "instance", "jobs", "organizations"];

/** A conversation with a server about each feature, by its path below `runtime/`. */
export const conversations = [
  "auth/accounts/login",
  "auth/accounts/reset",
  "auth/accounts/sessions",
  "auth/accounts/signup-invitation",
  "auth/accounts/tokens",
  "auth/accounts/totp",
  "auth/administration/audit-list",
  "auth/administration/user-delete",
  "auth/administration/users",
  "auth/authenticate",
  "documents/administration/data",
  "documents/administration/transfer",
  "documents/aggregate/aggregate",
  "documents/batch",
  "documents/concurrency",
  "documents/custom-id",
  "documents/documents",
  "documents/expand/expand",
  "documents/idempotency",
  "documents/list-cursors",
  "documents/list-order",
  "documents/list-search-language",
  "documents/list-where",
  "documents/list-where-refusals",
  "documents/operator-keys",
  "documents/organizations",
  "documents/organization-keys",
  "documents/personal-tokens",
  "documents/soft-delete",
  "files/access",
  "files/direct",
  "files/form-create",
  "files/form-create-refused",
  "files/forms",
  "files/ledger",
  "files/links",
  "files/open-uploads",
  "files/proxied",
  "files/required",
  "files/resumable",
  "files/resumable-client",
  "files/versions",
  "files/versions-told",
  "jobs/routes",
  "organizations/administration/lifecycle",
  "organizations/delete",
  "organizations/keys",
  "organizations/organizations",
  "organizations/team-members",
].map((path) => `runtime/${path}.test.ts`);

/** What a test imports that is about the store itself, or about several servers on one. */
const ofStores =
  /from "[./]+\/(?:store\/testing\/stores|store\/mongodb\/testing\/\w+|testing\/instances|testing\/process|testing\/workshop)\.ts"/;

/** Patterns of their paths. */
export function mongoTests(full: boolean): readonly string[] {
  return [...always, ...(full ? possible : [...conversations, ...testsOfStores()])];
}

/** Those of features that deal with the store themselves. */
export function testsOfStores(): readonly string[] {
  return features
    .flatMap((feature) => testsIn(feature))
    .filter((path) => ofStores.test(readFileSync(join(root, path), "utf8")));
}

/** About bytes alone, or the files of the embedded engine: no other store has a part in it. */
const storeless = [
  "runtime/files/content/",
  "runtime/instance/transfer/csv.test.ts",
  "runtime/instance/verify/",
];

/** All test files of a feature. */
export function testsIn(feature: string): readonly string[] {
  return readdirSync(join(root, "runtime", feature), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => `runtime/${feature}/${path}`)
    .filter((path) => !storeless.some((folder) => path.startsWith(folder)))
    .sort();
}
