/** The public surface: what emitted code imports as `realmc/runtime`, what `realmc dev` runs, and nothing else. */
export { accountRoutes, secondFactorRoutes, tokenRoutes } from "./auth/accounts/routes.ts";
export { administrationRoutes, userAdministrationRoutes } from "./auth/administration/routes.ts";
export { dataRoutes } from "./documents/administration/routes.ts";
export { aggregateDocuments } from "./documents/routes/aggregate.ts";
export { batchRoute } from "./documents/routes/batch.ts";
export { createDocument } from "./documents/routes/create.ts";
export { deleteDocument, softDeleteDocument } from "./documents/routes/delete.ts";
export { getDocument } from "./documents/routes/get.ts";
export { listDocuments } from "./documents/routes/list.ts";
export { restoreDocument } from "./documents/routes/restore.ts";
export { patchDocument, replaceDocument } from "./documents/routes/update.ts";
export type {
  ChainMeta,
  DeletionMeta,
  DocumentMeta,
  FileObject,
  MergePatch,
  OrganizationMeta,
  OwnershipMeta,
  TeamMeta,
} from "./documents/shape.ts";
export { fileRoutes } from "./files/routes.ts";
export { always, and, compare, eq, exists, FALSE, isIn, not, or, TRUE, text } from "./filter/algebra.ts";
export { dateNormalizer } from "./filter/dates.ts";
export { fieldsOf } from "./filter/declarations.ts";
export {
  chainFields,
  deletionFields,
  documentFields,
  organizationFields,
  ownershipFields,
  teamFields,
  unownedDeletionFields,
} from "./filter/fields.ts";
export { fileFields } from "./filter/file-fields.ts";
export { textIndex } from "./filter/search/index.ts";
export type { FunctionFiles } from "./functions/invocation.ts";
export { functionRoutes } from "./functions/routes.ts";
export { descriptionRoutes } from "./http/description.ts";
export { developmentServer } from "./instance/development.ts";
export { main } from "./instance/main.ts";
export { jobRoutes } from "./jobs/routes.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { migrationRoutes } from "./migrations/routes.ts";
export { organizationAdministrationRoutes } from "./organizations/administration/routes.ts";
export { organizationKeyRoutes, organizationRoutes } from "./organizations/routes.ts";
export type { CollectionDefinition, RealmDefinition } from "./realm/definition.ts";
export type { RealmModule, RouteTable } from "./realm/exchange.ts";
export type {
  CallDefinition,
  EventDefinition,
  FunctionDefinition,
  InvokeRule,
  TriggerRule,
  WebhookDefinition,
} from "./realm/functions.ts";
export { assign, convert, drop, fill, rename, steps, translate, where } from "./realm/migration-steps.ts";
export type { MigrationDefinition } from "./realm/migrations.ts";
export type { Validator } from "./realm/validator.ts";
export { realtimeRoutes } from "./realtime/route.ts";
export * from "./rules/index.ts";
export { inItems, inMember, inObject } from "./validation/defaults.ts";
export { duplicateItems, equal } from "./validation/equal.ts";
export { appendErrors } from "./validation/errors.ts";
export { evaluated } from "./validation/evaluated.ts";
export { formats } from "./validation/formats.ts";
export { linearPattern } from "./validation/linear-pattern.ts";
export { isMultipleOf } from "./validation/multiples.ts";
export { codePointLength } from "./validation/text.ts";
