/** `realmc/testing`: what handlers of functions are tested on, with any runner of tests. */
export type { ContextOptions, TestCaller } from "./context.ts";
export type { AllCollections } from "./documents.ts";
export type { TestOrganization, TestUser } from "./people.ts";
export { type QueuedCall, type TestRealm, type TestRealmOptions, testRealm } from "./realm.ts";
