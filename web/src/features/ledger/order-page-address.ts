// The address of an order's page, in the panel or the console.

export type OrderPageAddress = '/orders/$orderId' | '/admin/orders/$orderId';
