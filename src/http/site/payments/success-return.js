try {
  const credentials = sessionStorage.getItem('sanderling-success');
  if (credentials) location.replace(`/success?${credentials}`);
} catch {
  // Storage is off: the page says what to do.
}
