export type OrderPageAddress = '/orders/$orderId' | '/admin/orders/$orderId';
