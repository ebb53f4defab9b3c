try {
  const proof = sessionStorage.getItem('sanderling-success');
  if (proof) location.replace(`/success?${proof}`);
} catch {
  // Storage is switched off: the page says what to do.
}
