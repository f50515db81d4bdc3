/** What is measured of the functions of an instance. */
export interface FunctionMetrics {
  /**
   * `svc_function_invocations_total`, `svc_function_duration_seconds`.
   * @param name `<database>/<function>`
   * @param outcome as invocations have it, or `busy` where there was no room
   * @param seconds in the thread; absent: it did not run
   */
  invoked(realm: string, name: string, outcome: string, seconds?: number): void;
  /** How the gauges are read whenever somebody looks; to be said once. */
  gauges(read: () => FunctionGauges): void;
}

/** Of all realms together. */
export interface FunctionGauges {
  /** `svc_function_workers`: threads. */
  readonly workers: number;
  /** `svc_function_workers_busy`: those that run something. */
  readonly busy: number;
  /** `svc_function_queue`: runs that wait for a thread. */
  readonly queued: number;
}
