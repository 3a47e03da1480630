// The states of the operator's product and of the calls to it.

/**
 * `none`: nobody is told. `notify`: the product is told of what has happened. `confirm`: an order counts when the
 * product has taken it.
 */
export const productModes = ['none', 'notify', 'confirm'] as const;
export type ProductMode = (typeof productModes)[number];

/** In the order in which a call can pass through them. */
export const productCallStatuses = ['waiting', 'attention', 'done', 'superseded', 'failed'] as const;
