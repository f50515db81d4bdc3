/** Calls back again and again until told to stop; `setInterval` in production, held still by tests. */
export type Every = (milliseconds: number, work: () => void) => () => void;

export const every: Every = (milliseconds, work) => {
  const timer = setInterval(work, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};
