"""Callbacks for training frameworks. A framework is imported only by the module that is named after it."""
