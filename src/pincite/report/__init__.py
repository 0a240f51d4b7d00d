"""Reports: a list of questions becomes one document whose every sentence is cited."""
