#!/bin/sh
# The calls of the cassette shop. In the place of secrets stand variables.
set -eu
curl() { command curl -sS "$@"; }

[ -n "${BASE:-}" ] || BASE='https://gw.example'
[ -n "${BASE_2:-}" ] || BASE_2='https://gw.example/sandbox'
[ -n "${BASE_3:-}" ] || BASE_3='https://v2.example'
: "${CVC:?is not set: on tape it is 000}"
: "${PAN:?is not set: on tape it is 4111110000121111}"
: "${PASSWORD:?is not set: on tape it is REDACTED-token-1}"
: "${X_API_KEY:?is not set: on tape it is REDACTED-token-2}"

# shop

# #1 call 1: done
curl "$BASE"'/payment/rest/register.do' \
  -H 'Content-Type: application/x-www-form-urlencoded' \
  --data-raw 'userName=shop' --data-urlencode 'password='"$PASSWORD" --data-raw 'orderNumber=A%261&amount=12500'
echo

# #2 call 2: done
curl "$BASE_2"'/payment/rest/paymentorder.do' \
  -H 'Content-Type: application/x-www-form-urlencoded' \
  --data-raw 'userName=shop' --data-urlencode 'password='"$PASSWORD" --data-raw 'MDORDER=o-1' --data-urlencode '$PAN='"$PAN" --data-urlencode '$CVC='"$CVC" --data-raw 'TEXT=TAPERA+TEST'
echo

# #4 call 4: done, which the sandbox sends

# #5 call 5: done
curl "$BASE_3"'/v2/cards/c-7?full&view=a%20b' \
  -H 'Accept: application/json' \
  -H 'X-Api-Key: '"$X_API_KEY"
echo

# #6 call 6: done
curl -X 'PUT' "$BASE_3"'/v2/cards/c-7' \
  -H 'Content-Type: application/json' \
  --data-raw '{"name": "it'\''s", "n": 1.0}'
echo
