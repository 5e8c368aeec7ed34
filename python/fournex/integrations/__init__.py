"""Callbacks for training frameworks. A framework is imported only by the module with its name."""
