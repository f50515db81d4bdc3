/** Connections to the servers of a shared store. */
export interface PoolFigures {
  /** There are so many. */
  readonly size: number;
  /** So many of them are in use. */
  readonly checkedOut: number;
  /** So many operations wait for one. */
  readonly waiting: number;
  /** Expensive queries that run, and those that wait for a turn. */
  readonly expensive: number;
  readonly expensiveWaiting: number;
}
