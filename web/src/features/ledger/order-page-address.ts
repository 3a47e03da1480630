// The page of an order, in the panel or the console.

export type OrderPageAddress = '/orders/$orderId' | '/admin/orders/$orderId';
