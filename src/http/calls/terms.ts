/** Terms of service where calls are metered. */
export type Terms = {
  /** Keyless requests per address and UTC day; 0: a key is required. */
  keylessPerDay: number;
  /** Anybody may claim a free key. */
  freeKeys: boolean;
  /** Packs of credits are for sale. */
  sells: boolean;
};
