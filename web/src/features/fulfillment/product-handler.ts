// A receiver of the calls to a product that runs as it is. test/tools/product-handlers.test.ts runs each language.

export const handlerLanguages = [
  { value: 'typescript', title: 'Node' },
  { value: 'php', title: 'PHP' },
  { value: 'python', title: 'Python' },
  { value: 'go', title: 'Go' },
] as const;

export type HandlerLanguage = (typeof handlerLanguages)[number]['value'];

export function productHandler(language: HandlerLanguage, secret: string): string {
  return handlers[language].replaceAll('whsec_SECRET', secret);
}

const handlers: Readonly<Record<HandlerLanguage, string>> = {
  typescript: `// node handler.mjs: listens at http://127.0.0.1:4001/sellthrough
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from('whsec_SECRET'.slice('whsec_'.length), 'base64');

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  const id = request.headers['webhook-id'];
  const at = request.headers['webhook-timestamp'];
  const expected = createHmac('sha256', key).update(\`\${id}.\${at}.\`).update(body).digest();
  const isSigned = String(request.headers['webhook-signature'])
    .split(' ')
    .map((one) => Buffer.from(one.replace('v1,', ''), 'base64'))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  const isFresh = Math.abs(Date.now() / 1000 - Number(at)) <= 300;
  if (!isSigned || !isFresh) return response.writeHead(401).end();
  const { type, data } = JSON.parse(body);
  // Replace your copy of data.customer's plan with data. Answer 422 to refuse an order.
  console.log(type, data.customer.reference, data.package.name, data.limits, data.expires_at);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
}).listen(Number(process.env.PORT ?? 4001), '127.0.0.1');`,

  php: `<?php // php -S 127.0.0.1:4001 handler.php: listens at http://127.0.0.1:4001/sellthrough
$key = base64_decode(substr('whsec_SECRET', strlen('whsec_')));
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$at = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '0';
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", $key, true));
$isSigned = false;
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $one) {
    $isSigned = hash_equals($expected, $one) || $isSigned;
}
if (!$isSigned || abs(time() - (int) $at) > 300) {
    http_response_code(401);
    exit;
}
$call = json_decode($body, true);
$data = $call['data'];
// Replace your copy of the customer's plan with $data. Answer 422 to refuse an order.
error_log($call['type'] . ' ' . $data['customer']['reference'] . ' ' . $data['package']['name']);
header('Content-Type: application/json');
echo '{"ok":true}';`,

  python: `# python3 handler.py: listens at http://127.0.0.1:4001/sellthrough
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode("whsec_SECRET".removeprefix("whsec_"))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        id, at = self.headers.get("webhook-id", ""), self.headers.get("webhook-timestamp", "0")
        digest = hmac.new(key, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(digest).decode()
        signatures = self.headers.get("webhook-signature", "").split(" ")
        is_signed = any(hmac.compare_digest(expected, one) for one in signatures)
        if not is_signed or abs(time.time() - int(at)) > 300:
            return self.answer(401, b"")
        call = json.loads(body)
        data = call["data"]
        # Replace your copy of the customer's plan with data. Answer 422 to refuse an order.
        print(call["type"], data["customer"]["reference"], data["package"]["name"], flush=True)
        self.answer(200, b'{"ok":true}')

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", 4001))), Handler).serve_forever()`,

  go: `// go run handler.go: listens at http://127.0.0.1:4001/sellthrough
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func main() {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix("whsec_SECRET", "whsec_"))
	http.HandleFunc("/sellthrough", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id, at := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + at + "." + string(body)))
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		signed := false
		for _, one := range strings.Split(r.Header.Get("webhook-signature"), " ") {
			signed = hmac.Equal(expected, []byte(one)) || signed
		}
		seconds, _ := strconv.ParseInt(at, 10, 64)
		if !signed || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var call struct {
			Type string
			Data json.RawMessage
		}
		if json.Unmarshal(body, &call) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		// Replace your copy of the customer's plan with call.Data. Answer 422 to refuse an order.
		log.Println(call.Type, string(call.Data))
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, "{\\"ok\\":true}")
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:4001", nil))
}`,
};
