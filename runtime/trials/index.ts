/** `realmc/testing`: what handlers of functions are tested on, with any runner of tests. */
export type { ContextOptions, TestCaller } from "./context.ts";
export type { AllCollections } from "./documents.ts";
export type { TestOrganization, TestUser } from "./people.ts";
export { testRealm } from "./realm.ts";
export type { QueuedCall, TestRealm, TestRealmOptions, TestRequest } from "./test-realm.ts";
