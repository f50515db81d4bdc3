/** The parts of `realmc/runtime` that emitted migrations need, so that no server is loaded. */
export * from "../../../runtime/realm/migration-steps.ts";
export * from "../../../runtime/rules/index.ts";
