import ipaddr from 'ipaddr.js';
import * as z from 'zod';

/** A setting that is a comma list; empty items are dropped. */
export const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/** A comma list of networks. */
export const networks = list.refine(
  (cidrs) => cidrs.every((cidr) => ipaddr.isValidCIDR(cidr)),
  'must be a comma list of CIDRs such as 10.0.0.0/8',
);
