/** What is measured of the realtime streams of an instance. */
export interface RealtimeMetrics {
  /** `svc_realtime_events_total`. @param event one of the specification's names */
  sent(event: string): void;
  /** `svc_realtime_resets_total`. @param reason one of the specification's */
  reset(reason: string): void;
  /** How the gauges are read whenever somebody looks; to be said once. */
  gauges(read: () => RealtimeGauges): void;
}

/** How things stand, of all realms together. */
export interface RealtimeGauges {
  /** Open: `svc_realtime_streams`. */
  readonly streams: number;
  /** `svc_realtime_subscriptions`: `all` of the open streams, and of these the `shared` ones that are evaluated, each once. */
  readonly subscriptions: { readonly all: number; readonly shared: number };
  /** Events that streams have yet to take: `svc_realtime_buffered_bytes`. */
  readonly bufferedBytes: number;
  /** What the readers of the feed have yet to take: `svc_realtime_feed_lag_changes`, `svc_realtime_feed_lag_seconds`. */
  readonly lag: { readonly changes: number; readonly seconds: number };
}
