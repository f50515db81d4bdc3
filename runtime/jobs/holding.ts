import type { Clock } from "../clock.ts";
import type { Lease } from "../store/contract/lease.ts";

/**
 * Milliseconds that a background job has a realm to itself without renewing its lease, so long that a slow write does not
 * end it. Where the store is shared, an instance that dies leaves the realm to the others after that.
 */
export const leaseTime = 60_000;

/** Renews a lease when half of its time is over; false when it was lost. */
export function holding(lease: Lease, clock: Clock): () => Promise<boolean> {
  let renewed = clock.now();
  return async () => {
    const now = clock.now();
    // Also where the clock was set back.
    if (Math.abs(now - renewed) < leaseTime / 2) return true;
    renewed = now;
    return lease.renew();
  };
}
