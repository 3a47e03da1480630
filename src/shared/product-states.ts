/** `none`: no product. `notify`: it is informed of changes. `confirm`: orders count once it accepts them. */
export const productModes = ['none', 'notify', 'confirm'] as const;
export type ProductMode = (typeof productModes)[number];

export const productCallStatuses = ['waiting', 'attention', 'done', 'superseded', 'failed'] as const;
