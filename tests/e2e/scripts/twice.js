async ([url, body]) => {
  const once = () => fetch(url, {
    method: "POST", body,
    headers: {"Authorization": "Bearer any", "Content-Type": "application/json"},
  }).then((answer) => answer.text().then(() => answer.status), () => "failed");
  return [await once(), await once()];
}
