# Calls a server as scripts do: `bash client.sh URL`.
set -euo pipefail
url=$1
pin() {
  curl -sS -X PUT "$url/api/core/chat/history/updateHistory" "$@" \
    -H 'Authorization: Bearer k' -H 'Content-Type: application/json' \
    -d '{"appId":"65d8a1f0c3b2a94e7f106a01","chatId":"invoice-copy","top":true}'
}
list() {
  curl -sS "$url/api/core/dataset/collection/listV2" "$@" \
    -H 'Authorization: Bearer k' -H 'Content-Type: application/json' \
    -d '{"offset":0,"datasetId":"6593e137231a2be9c5603ba7"}'
}
for call in pin list; do
  for _ in $(seq 50); do $call | grep -q '^{"code":200,'; done
  for _ in $(seq 16); do $call >/dev/null & done
  wait
done
# One connection: a hundred calls, and one more after a pause.
path=/api/core/dataset/collection/listV2
curl -sS --fail "$url$path?[1-100]" -o /dev/null -w '%{http_code} %{num_connects}\n' \
  -H 'Authorization: Bearer k' -H 'Content-Type: application/json' \
  -d '{"offset":0,"datasetId":"6593e137231a2be9c5603ba7"}' | awk '
    $1 != 200 {bad = 1} {opened += $2} END {exit bad || opened != 1}'
curl -sS --fail --rate 10/m "$url$path?[1-2]" -o /dev/null -w '%{http_code} %{num_connects}\n' \
  -H 'Authorization: Bearer k' -H 'Content-Type: application/json' \
  -d '{"offset":0,"datasetId":"6593e137231a2be9c5603ba7"}' | awk '
    $1 != 200 {bad = 1} {opened += $2} END {exit bad || opened != 1}'
echo ok
