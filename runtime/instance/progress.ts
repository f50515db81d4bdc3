/** Milliseconds between two lines of progress. */
const LINE_EVERY = 2_000;

/** Tells the first, and then not too often; with the seconds since. */
export function paced<T>(tell: (progress: T, seconds: number) => void): (progress: T) => void {
  const begun = performance.now();
  let next = 0;
  return (progress) => {
    const elapsed = performance.now() - begun;
    if (elapsed < next) return;
    next = elapsed + LINE_EVERY;
    tell(progress, elapsed / 1000);
  };
}
