// Sample requests that run as they are and need no extra libraries.

export const languages = [
  { value: 'curl', title: 'curl' },
  { value: 'typescript', title: 'TypeScript' },
  { value: 'php', title: 'PHP' },
  { value: 'python', title: 'Python' },
] as const;

export type Language = (typeof languages)[number]['value'];

interface FirstRequest {
  readonly address: string;
  readonly key: string;
  readonly packageId: number;
}

const customer = 'ada@example.com';
const idempotencyKey = 'first-order';

export function firstRequest(language: Language, request: FirstRequest): string {
  return texts[language](request);
}

const texts: Readonly<Record<Language, (request: FirstRequest) => string>> = {
  curl: ({ address, key, packageId }) => `curl -i ${address}/orders \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Idempotency-Key: ${idempotencyKey}' \\
  -d '{"package_id": ${packageId}, "customer": "${customer}"}'`,

  typescript: ({ address, key, packageId }) => `const response = await fetch('${address}/orders', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${key}',
    'Content-Type': 'application/json',
    'Idempotency-Key': '${idempotencyKey}',
  },
  body: JSON.stringify({ package_id: ${packageId}, customer: '${customer}' }),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.error.code + ': ' + answer.error.message);
console.log(answer.order.id, answer.balance);`,

  php: ({ address, key, packageId }) => `<?php
$request = curl_init('${address}/orders');
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ${key}',
        'Content-Type: application/json',
        'Idempotency-Key: ${idempotencyKey}',
    ],
    CURLOPT_POSTFIELDS => json_encode(['package_id' => ${packageId}, 'customer' => '${customer}']),
]);
$answer = json_decode(curl_exec($request), true);
if (curl_getinfo($request, CURLINFO_HTTP_CODE) !== 201) {
    exit($answer['error']['code'] . ': ' . $answer['error']['message'] . PHP_EOL);
}
echo $answer['order']['id'], ' ', $answer['balance'], PHP_EOL;`,

  python: ({ address, key, packageId }) => `import json, urllib.error, urllib.request

request = urllib.request.Request(
    "${address}/orders",
    data=json.dumps({"package_id": ${packageId}, "customer": "${customer}"}).encode(),
    headers={
        "Authorization": "Bearer ${key}",
        "Content-Type": "application/json",
        "Idempotency-Key": "${idempotencyKey}",
    },
)
try:
    answer = json.load(urllib.request.urlopen(request))
    print(answer["order"]["id"], answer["balance"])
except urllib.error.HTTPError as error:
    print(json.load(error)["error"])`,
};
