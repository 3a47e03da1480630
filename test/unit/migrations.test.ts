// Released migrations never change: if even one byte did, an existing database would refuse to start. Add a line for each
// new migration.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMigrations } from '../../src/platform/database/schema/migrate.ts';

const published = {
  '0001-orders.sql': '669b2aedbdea67e76d5bcdd9f7480546178ef14e982425e6b81af78192f860f9',
  '0002-panel.sql': '88b166c724a90f346600668dc1a758e0f1453293f072096da06d9bf0328a16c9',
  '0003-cheap-checks.sql': '9319571b83dcd17949547e966d394fda9a7ab37fe8f4cd60a6dfc721362b9780',
  '0004-plan-changes.sql': '4304cdf4f4594ba601ba9362181fd10362e9aa9af7a132c670a1102b0bf28db5',
  '0005-halts.sql': '2733cda725ada18913d8a2fb791744f792b09889c6200c25815371066a4e7520',
  '0006-jobs.sql': 'c3312e7c5bc731b32ae367e1575817bcf1365fc3f7ff3da299bf06c9070ca396',
  '0007-audit-principal.sql': 'ec54384776da3efb9dfd7e4a48d8044542455868d807896e6914c047cc34b001',
  '0008-live-links.sql': 'c04effb89091850f7deaa8555808207efa58dc3f3b7d21de50b20ea24637cf59',
  '0009-initial-passwords.sql': '062d2b40ff7e8c3e51576b63774361d8394b14d2648c6e02c715acb761e7a331',
  '0010-plan-life.sql': '8d302dd951b1f45a77911485fb751350f10cbea17dd7ae20f569b90fba21f491',
  '0011-finding-things.sql': 'd3ae2ec18f49d7e6977a277ce1f0172c679a6dd4fe84dcab6976482794568659',
  '0012-scheduled-prices.sql': '4a488439bc924f93dbcf1907326cdc5434dd410bf1fba780423a46902a7522c8',
  '0013-few-among-many.sql': '0745a05620509bcdc768e6b969d97b3cd8c0b1593321edb879f015325d4d5281',
  '0014-events.sql': 'f7e18a266eeeac8640f1ae657c926863b6c6aa6a869c8f66bf46eee02c32e936',
  '0015-hand-off.sql': 'd9352e35c907aac69000c2f0487aabb4c6c1983f5afd9160e1d76cf37f55c9bc',
  '0016-mail.sql': '9f529ccf01b03ee2670f54feaf54e491ea63a7a1574b68334cc26e786c38f064',
  '0017-webhooks.sql': '2e4993971bee819ed822eea25643c28612e1e73c6f654118afc87eaac640860b',
  '0018-keys.sql': '576773a7252b17da30c5862619c2fe3afdfb2262b08579dd2b1ed189bc9ebcb0',
  '0019-people.sql': 'de7f39298e1fd4eeee08b64ca809e6e02683bdbd2256d0ca4739c751b1b5e261',
  '0020-test-mode.sql': '1526fea4425226d8f6e165c84d7321006c322d81d4b730b907ef727a1e7b083c',
  '0021-fresh-tests.sql': 'd8e25ef35d94b906dbc752efa5e03bbf3145a546c93ca28ece1007f01a736d6a',
  '0022-product-calls-of-tests.sql': '8d6d50c078e391e2865431d1f0946b88c3b2797db17364ed40df2e514a1c0f2c',
  '0023-rules-of-accounts.sql': 'd51509e7940e5f11c30d0a0a98ef654b119e46025524ba4bb991e5c5a3b30d7a',
  '0024-account-groups.sql': 'ffb4dd48da5a9abe4175c4bc26f7a1b4296d7eb75c9f2b85b664e1f9f3857e2b',
  '0025-languages.sql': '6078d9934803f9455db302cb60068aae0eddd4dae8c60237f67881f6ed239d53',
  '0026-spending.sql': 'd8881f978728e93301de5ebd54b6d531cf0e7fdac45b2ed2e2cd3aa9d94e1c77',
  '0027-brand.sql': '04bbb677826a49ee3739148e91eeb1c8ee697cbd51197921a589037262ff4505',
  '0028-requests.sql': 'a9d1e3069e693022749acc3263d22489d8ca794ecb3fffb13aa67f6dfbbe0fe6',
  '0029-audit-search.sql': 'e7973b59b51e5b8260064144e5b1a173f9d3d416560826901e0f947f4726ef1b',
  '0030-accounts-by-name.sql': 'e98ab79a5e8c0da89cc3087f79242c7e14376a0e8d48838d646125c2697d23cf',
  '0031-account-views.sql': 'afd9c2375a3e1a0978e430b3fc5f79cfd13cafc2b4caa1c7ad124412f411545e',
  '0032-ledger-dates.sql': 'd969a99060db5186f0ab7f48cb28ed1da65fb65beb605f37affe75c97f00978a',
  '0033-late-notices.sql': 'd94ad02d41cfe8f8e7848fb0071f47451f3d248a399ab395e94bf54fb4a9d21b',
  '0034-incarnations.sql': '6f8f5606aeefdbb9288e71b541dba5b5ef65a961037029de9e865e8b943b12f8',
  '0035-inviters-and-clocks.sql': '065441eaed4f827bcd84157a736dde25220ac0d5008e71997173049a94af5512',
  '0036-held-customers.sql': '64b7abc26a746da6602a1bccd11328a86d47159b1dc40da7ec8ff2e165c14cea',
  '0037-test-usage.sql': '04d6267b1555275fc7b5f378e0d5f2d235df6e261ab24c23c6deba1df201de58',
  '0038-last-orders.sql': '58ea754c272610fcb8468ff7e80efcbc3a1e2ba2c826cb684759ea20aa3c101d',
  '0039-product-calls.sql': '99c840d167137557388ea16756e7920998d3b44967d0a0a6ef502e9bb462310e',
  '0040-mail-addresses.sql': 'a49c3300ecccafa7c36f0068a60e587de27a2abcf38b7fd3e25752125fb93a4b',
  '0041-product-payloads.sql': '0e20f8e5feea215deaf3d3620f55a45a3bff39a6ec3d58e6d2134e56fb46d6a9',
  '0042-moved-amounts.sql': '1494526109e1ccb3e0b35de3ff63a06746a20109b727898ab5760006f5c475a4',
  '0043-product-call-log.sql': 'd3dc5e92db3f1305dd3555c87d35bb50674093f193a6f7297fdeb6b3109259ed',
  '0044-login-link-log.sql': '39b7d277aefbe21fe8e0fdcfd2f88d773803a5422e57319060cee665feac971e',
  '0045-keys-by-last-four.sql': '162fa4309716327c8a4b4623d72c5916f60e08a85d5e6023d1507b6bfe35f52e',
  '0046-row-hashes.sql': 'bf1bb6f2404d88f5a3e51cf7939e19e87dbfe5902b674b9d87050e9358e61756',
  '0047-audit-versions.sql': '4144e0604b4f95df35826d433bf36908e831a6ca4e2943671669acb430f202bb',
  '0048-last-order-marks.sql': '24562974bf27e52897825966b27f8247b87df86bc595108d3045261430c58cc6',
  '0049-unused-login-links.sql': '4f8dbc24e4323a53feea39958b58330662101143b990840bbea6cab2fb776e69',
  '0050-tell-after.sql': '905d272d7ebe513012402a20dfecada092ca8d38b455755d4b824e0d6f7470d7',
  '0051-limit-definitions.sql': 'e08468bc77929433219e1171cbd9b656045b7d19c2c24b83b4cf8abf3d76b733',
  '0052-package-periods.sql': 'efd7345d381d99d6dbf5a18369a2b9af5c61167abcf9fb7a0951340161f807d1',
  '0053-account-prices.sql': '74f87e97a0ffb362db6e1cb83dd88976cd2cf0715061c3e9f82434df3502aa74',
  '0054-payments.sql': 'f45d808867dd39c5ae0824cd6d8d75dad822313048b6caf44802a840643d00a6',
  '0055-payment-settings.sql': '535e71274b54fc8fc065aa889b3db4e2bdcf74b20e128d39c44b0a1ceb19b534',
  '0056-write-offs.sql': '37fd0f68fc4b1ef2e212e2a3819ff68178962149ed26f7e257a3033608265151',
};

test('no migration changes after it was published', () => {
  assert.deepEqual(
    Object.fromEntries(readMigrations().map(({ name, checksum }) => [name, checksum])),
    published,
  );
});
