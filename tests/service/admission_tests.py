"""Admission by skde-serve: runs that can never succeed are refused at once, others wait their turn."""

from service_process import ServiceTest, grid_points, main


class AdmissionTest(ServiceTest):
    flags = ("--run-time", "10000", "--quota", "2G")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cloud = cls.service.add_cloud(grid_points(500))
        cls.large = cls.service.large = cls.service.add_cloud(grid_points(20000), "large.csv")
        cls.service.wait_for_predictions()

    def refusal(self, process, parameter, detail, inputs):
        """Checks that a request to run later is refused with this problem, before any job is created."""
        before = len(self.service.call("GET", "/jobs").json()["jobs"])
        problem = self.problem(self.service.ask_later(process, inputs), 413, "resources")
        self.assertRegex(problem["detail"], detail)
        self.assertEqual(problem["parameter"], parameter)
        self.assertIn(f"`{parameter}", problem["suggestion"])
        self.assertEqual(len(self.service.call("GET", "/jobs").json()["jobs"]), before)

    def test_what_can_never_fit_is_refused_at_once_with_numbers(self):
        room = r"\d+(\.\d+)? [KMGTPE]iB"
        self.refusal("density", "memory_limit", room, {"cloud": self.cloud, "dims": "200000,200000,9"})
        self.refusal("density", "memory_limit", room,
                     {"cloud": self.cloud, "dims": "200000,200000,9", "bandwidth": "lcv"})
        self.refusal("density", "dims", room + ".*" + room, {"cloud": self.cloud, "dims": "900,900,900"})
        self.refusal("density", "dims", room, {"cloud": self.cloud, "dims": "900,900,900", "adaptive": True})
        self.refusal("density", "dims", room, {"cloud": self.cloud, "dims": "900,900,900", "bandwidth": "lcv"})
        self.refusal("smooth", "memory_limit", room, {"cloud": self.cloud, "value": "4", "dims": "200000,200000,9"})
        self.refusal("sample", "samples", room, {"cloud": self.cloud, "samples": "1e12"})
        self.refusal("generate", "samples", room, {"kind": "uniform", "samples": "1e12"})

    def test_what_would_take_too_long_is_refused_at_once_with_numbers(self):
        huge = self.service.add_cloud(grid_points(400000), "huge.csv")  # 200,000 s on two cores
        self.refusal("density", "dims", "would take about .* s", {"cloud": huge, "dims": 700, "engine": "naive"})
        self.refusal("bandwidth", "subsample", "would take about .* s",
                     {"cloud": self.large, "method": "bootstrap", "realizations": "1e6", "dims": 256})

    def test_whatever_waits_says_how_long_it_may_take(self):
        first = self.service.occupy()
        waiting = {
            "density": {"cloud": self.cloud, "dims": 31, "bandwidth": "lscv"},
            "eval": {"cloud": self.large, "bandwidth": "silverman"},
            "smooth": {"cloud": self.large, "value": "4", "points": self.cloud, "bandwidth": "silverman"},
            "fit": {"cloud": self.cloud, "members": 4, "dims": 9, "steps": 20},
            "bandwidth": {"cloud": self.cloud, "method": "lcv"},
            "sample": {"cloud": self.cloud, "samples": "1000"},
            "generate": {"kind": "uniform", "samples": "1000"},
        }
        jobs = {process: self.service.run_later(process, inputs) for process, inputs in waiting.items()}
        jobs["means on a grid"] = self.service.run_later("smooth", {"cloud": self.cloud, "value": "4", "dims": 20})
        for process, job in jobs.items():
            status = self.service.status(job)
            self.assertEqual(status["status"], "accepted", process)
            self.assertGreater(status.get("expectedSeconds", 0), 0, process)
        self.service.call("DELETE", f"/jobs/{first}")
        for process, job in jobs.items():
            self.assertEqual(self.service.wait_for(job)["status"], "successful", process)

    def test_a_short_run_of_any_process_overtakes_a_long_one(self):
        first = self.service.occupy(bandwidth=0.3)
        long = self.service.run_later("bandwidth", {"cloud": self.large, "method": "bootstrap", "realizations": "5000", "dims": 64})
        short = self.service.run_later("sample", {"cloud": self.cloud, "samples": "100000"})  # takes more than a millisecond
        self.service.call("DELETE", f"/jobs/{first}")
        self.assertEqual(self.service.wait_for(short)["status"], "successful")
        begun = self.until(lambda: self.service.status(long).get("started"))
        self.assertLess(self.service.status(short)["started"], begun)
        self.service.call("DELETE", f"/jobs/{long}")


if __name__ == "__main__":
    main()
