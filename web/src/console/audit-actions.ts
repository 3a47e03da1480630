// What the audit log names, in words for people. Unknown deeds are shown as they are.

import { t } from '@lingui/core/macro';

type Words = Readonly<Record<string, string>>;

const auditActions: Words = {
  'account.create': t`Account created`,
  'account.update': t`Account changed`,
  'account.view': t`Viewed as reseller`,
  'account.set_alerts': t`Alerts changed`,
  'account.credit': t`Balance credited`,
  'account.debit': t`Balance debited`,
  'account.reset_api_key': t`API key replaced`,
  'account.create_key': t`API key made`,
  'account.change_key': t`API key changed`,
  'account.rotate_key': t`API key rotated`,
  'account.revoke_key': t`API key revoked`,
  'account.reveal_api_key': t`API key shown`,
  'account.enable_totp': t`Codes at sign-in on`,
  'account.disable_totp': t`Codes at sign-in off`,
  'account.end_sessions': t`Sessions ended`,
  'account.mail_password_link': t`Link to a new password mailed`,
  'person.invite': t`Person invited`,
  'person.update': t`Person changed`,
  'person.remove': t`Person removed`,
  'person.enable_totp': t`Codes at sign-in on`,
  'person.disable_totp': t`Codes at sign-in off`,
  'person.end_sessions': t`Sessions ended`,
  'person.mail_password_link': t`Link to a new password mailed`,
  'sign_in.accept': t`Signed in`,
  'sign_in.refuse': t`Sign-in refused`,
  'deed.refuse': t`Wrong password refused`,
  'customer.grant_trial': t`Free trial given`,
  'customer.update': t`Customer changed`,
  'customer.cancel': t`Plan cancelled`,
  'customer.suspend': t`Customer suspended`,
  'customer.resume': t`Customer resumed`,
  'customer.auto_renew': t`Auto-renewal changed`,
  'package.create': t`Package created`,
  'package.update': t`Package changed`,
  'package.schedule_prices': t`Prices scheduled`,
  'package.unschedule_prices': t`Scheduled prices deleted`,
  'order.accept': t`Order completed by hand`,
  'order.fail': t`Order failed by hand`,
  'product_call.send_again': t`Call to the product sent again`,
  'product_call.send_all_again': t`All calls to the product sent again`,
  'product_call.done': t`Call to the product done by hand`,
  'webhook.create': t`Endpoint created`,
  'webhook.update': t`Endpoint changed`,
  'webhook.delete': t`Endpoint deleted`,
  'webhook.disable': t`Endpoint switched off`,
  'webhook.new_secret': t`Secret of an endpoint replaced`,
  'webhook.redeliver': t`Events sent again`,
  'product.update': t`Address of the product changed`,
  'product.delete': t`Address of the product removed`,
  'brand.update': t`Brand changed`,
  'brand.set_logo': t`Logo replaced`,
  'brand.remove_logo': t`Logo removed`,
};

export function auditActionWord(action: string): string {
  return auditActions[action] ?? action;
}
