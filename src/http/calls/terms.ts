/** On what terms callers are served where calls are metered. */
export type Terms = {
  /** Keyless requests per address and UTC day; 0: a key is required. */
  keylessPerDay: number;
  /** Whether anybody may claim a free key. */
  freeKeys: boolean;
  /** Whether packs of credits are for sale. */
  sells: boolean;
};
