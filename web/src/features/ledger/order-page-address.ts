// Where a row leads to that is about an order: its page in the panel, or in the console.

export type OrderPageAddress = '/orders/$orderId' | '/admin/orders/$orderId';
