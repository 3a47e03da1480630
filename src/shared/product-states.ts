/** `none`: there is no product. `notify`: it is informed of changes. `confirm`: an order counts once it accepts the order. */
export const productModes = ['none', 'notify', 'confirm'] as const;
export type ProductMode = (typeof productModes)[number];

export const productCallStatuses = ['waiting', 'attention', 'done', 'superseded', 'failed'] as const;
